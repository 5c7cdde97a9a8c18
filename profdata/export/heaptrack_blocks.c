/* heaptrack_blocks.c -- single blocks of a call stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/heaptrack_blocks.h"

/* A number of blocks and their total bytes. */
struct amount {
    uint64_t count;
    uint64_t bytes;
};

static uint64_t scale_down(uint64_t count, uint64_t scale)
{
    return count / scale + (count % scale != 0);
}

/* Distributes the bytes to blocks of at most two sizes. */
static void split(struct mpdata_heaptrack_kind *kinds, struct amount all)
{
    const uint64_t size = all.count != 0 ? all.bytes / all.count : 0;
    const uint64_t larger = all.count != 0 ? all.bytes % all.count : 0;

    kinds[0] = (struct mpdata_heaptrack_kind){.size = size,
                                              .count = all.count - larger};
    kinds[1] =
        (struct mpdata_heaptrack_kind){.size = size + 1, .count = larger};
}

/* As split(), with one block of the smallest size and one of the largest, if
 * the other blocks then have sizes between them. */
static void split_range(struct mpdata_heaptrack_kind *kinds, struct amount all,
                        const struct mprof_mib *mib)
{
    const uint64_t ends = mprof_add_sat_u64(mib->MinSize, mib->MaxSize);
    const struct amount rest = {.count = all.count - 2,
                                .bytes = all.bytes - ends};

    if (all.count < 3 || all.bytes < ends || mib->MinSize == mib->MaxSize ||
        rest.bytes / rest.count < mib->MinSize ||
        scale_down(rest.bytes, rest.count) > mib->MaxSize) {
        split(kinds, all);
        return;
    }
    split(kinds, rest);
    kinds[2] = (struct mpdata_heaptrack_kind){.size = mib->MinSize, .count = 1};
    kinds[3] = (struct mpdata_heaptrack_kind){.size = mib->MaxSize, .count = 1};
}

/* -- how blocks end -------------------------------------------------------- */

/* *rest = all - part; false if that is impossible. */
static bool take(struct amount all, struct amount part, struct amount *rest)
{
    if (part.count > all.count || part.bytes > all.bytes)
        return false;
    *rest = (struct amount){all.count - part.count, all.bytes - part.bytes};
    return rest->count != 0 || rest->bytes == 0;
}

/* Fills the ends for a given number of blocks that are live both at the peak
 * and at the end; false if that is impossible. */
static bool fill_ends(struct amount ends[MPDATA_HEAPTRACK_ENDS],
                      struct amount all, struct amount peak, struct amount live,
                      struct amount both)
{
    struct amount rest;

    ends[MPDATA_HEAPTRACK_BOTH] = both;
    return (both.count != 0 || both.bytes == 0) &&
           take(peak, both, &ends[MPDATA_HEAPTRACK_PEAK]) &&
           take(live, both, &ends[MPDATA_HEAPTRACK_LIVE]) &&
           take(all, peak, &rest) &&
           take(rest, ends[MPDATA_HEAPTRACK_LIVE],
                &ends[MPDATA_HEAPTRACK_FREED]);
}

/* The profile does not tell how many blocks that were live at the peak were
 * live at the end. Tries the most that are possible, then fewer, then the
 * fewest. */
static bool find_both(struct amount ends[MPDATA_HEAPTRACK_ENDS],
                      struct amount all, struct amount peak, struct amount live)
{
    const uint64_t most = mprof_min_u64(peak.count, live.count);
    const uint64_t least =
        mprof_sub_sat_u64(mprof_add_sat_u64(peak.count, live.count), all.count);
    const uint64_t counts[] = {most, mprof_sub_sat_u64(most, 1), least + 1,
                               least, 0};
    const uint64_t bytes[] = {
        mprof_min_u64(peak.bytes, live.bytes),
        mprof_sub_sat_u64(mprof_add_sat_u64(peak.bytes, live.bytes), all.bytes),
        0};

    for (size_t c = 0; c < MPROF_ARRAY_LEN(counts); c++) {
        for (size_t b = 0; b < MPROF_ARRAY_LEN(bytes); b++) {
            if (fill_ends(ends, all, peak, live,
                          (struct amount){counts[c], bytes[b]}))
                return true;
        }
    }
    return false;
}

static void find_ends(struct amount ends[MPDATA_HEAPTRACK_ENDS],
                      const struct mprof_mib *mib,
                      const bool held[MPDATA_METRIC_COUNT])
{
    const struct amount none = {.count = 0};
    const struct amount all = {mib->AllocCount, mib->TotalSize};
    const struct amount peak =
        held[MPDATA_METRIC_PEAK]
            ? (struct amount){mib->PeakCount, mib->PeakBytes}
            : none;
    const struct amount live =
        held[MPDATA_METRIC_LIVE]
            ? (struct amount){mprof_min_u64(mib->LiveCount, mib->AllocCount),
                              mib->LiveBytes}
            : none;

    if (find_both(ends, all, peak, live))
        return;
    /* The numbers contradict each other: drop the peak. */
    ends[MPDATA_HEAPTRACK_PEAK] = ends[MPDATA_HEAPTRACK_BOTH] = none;
    ends[MPDATA_HEAPTRACK_LIVE] = live;
    ends[MPDATA_HEAPTRACK_FREED] = (struct amount){
        all.count - live.count, mprof_sub_sat_u64(all.bytes, live.bytes)};
    /* Without known numbers of blocks none may be left. */
    if (ends[MPDATA_HEAPTRACK_FREED].bytes != 0)
        ends[MPDATA_HEAPTRACK_FREED].count =
            mprof_max_u64(ends[MPDATA_HEAPTRACK_FREED].count, 1);
}

static void find_temporary(struct mpdata_heaptrack_blocks *blocks,
                           const struct amount ends[MPDATA_HEAPTRACK_ENDS],
                           uint64_t temporary, uint64_t scale)
{
    const uint64_t freed = ends[MPDATA_HEAPTRACK_FREED].count;

    blocks->temporary =
        temporary >= freed ? scale_down(freed, scale) : temporary / scale;
    blocks->is_peak_temporary =
        temporary > freed && ends[MPDATA_HEAPTRACK_PEAK].count != 0;
}

struct mpdata_heaptrack_blocks
mpdata_heaptrack_blocks(const struct mprof_mib *mib,
                        const bool held[MPDATA_METRIC_COUNT], uint64_t scale)
{
    struct mpdata_heaptrack_blocks blocks = {.kinds = {{.size = 0}}};
    struct amount ends[MPDATA_HEAPTRACK_ENDS];

    find_ends(ends, mib, held);
    if (held[MPDATA_METRIC_TEMPORARY])
        find_temporary(&blocks, ends, mib->TemporaryCount, scale);
    for (size_t e = 0; e < MPDATA_HEAPTRACK_ENDS; e++) {
        struct mpdata_heaptrack_kind *const kinds =
            &blocks.kinds[e * MPDATA_HEAPTRACK_SIZES];

        ends[e].count = scale_down(ends[e].count, scale);
        if (e == MPDATA_HEAPTRACK_FREED && scale == 1)
            split_range(kinds, ends[e], mib);
        else
            split(kinds, ends[e]);
    }
    return blocks;
}

uint64_t mpdata_heaptrack_blocks_scale(const struct mpdata_view *view,
                                       const bool held[MPDATA_METRIC_COUNT],
                                       uint64_t most)
{
    struct amount ends[MPDATA_HEAPTRACK_ENDS];
    uint64_t total = 0;
    uint64_t least = 0;

    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mprof_mib mib = mpdata_view_mib(view, i);

        find_ends(ends, &mib, held);
        for (size_t e = 0; e < MPDATA_HEAPTRACK_ENDS; e++) {
            total = mprof_add_sat_u64(total, ends[e].count);
            least += ends[e].count != 0;
        }
    }
    if (total <= most)
        return 1;
    /* Rounding up adds less than one block per end. */
    return scale_down(total, mprof_max_u64(most, 2 * least) - least);
}
