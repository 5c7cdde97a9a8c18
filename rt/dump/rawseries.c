/* rawseries.c -- the run over time in a raw profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/rawsections.h"
#include "rt/base/mapbuf.h"
#include "shared/raw_format.h"
#include "shared/table.h"

struct mprt_rawseries *mprt_rawseries_new(const struct mprt_live_peak *peak)
{
    struct mprt_rawseries *const s =
        (struct mprt_rawseries *)mprt_mapbuf_new_array(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    mprt_series_copy(&s->copy, (struct mprt_series_peak){.bytes = peak->bytes,
                                                         .ns = peak->ns});
    for (uint32_t i = 0; i < MPRT_SERIES_SLOTS; i++) {
        if (s->copy.slots[i].samples != 0)
            s->rows[s->count++] = (uint16_t)i;
    }
    s->step_ns = UINT64_C(1)
                 << mprof_max_u64(s->copy.shift, MPRT_SERIES_SHIFT_MIN);
    s->marks = mprt_series_marks(&s->mark_count, &s->dropped_marks);
    return s;
}

void mprt_rawseries_free(struct mprt_rawseries *s)
{
    mprt_mapbuf_free_array(s, 1, sizeof(*s));
}

static uint64_t get_slot(const void *context, uint32_t tag, uint64_t row)
{
    const struct mprt_rawseries *const s =
        (const struct mprt_rawseries *)context;
    const struct mprt_series_slot *const slot = &s->copy.slots[s->rows[row]];

    switch (tag) {
    case MPROF_RAW_SERIES_NS:
        return s->copy.start_ns + s->rows[row] * s->step_ns;
    case MPROF_RAW_SERIES_BYTES:
        return slot->bytes;
    case MPROF_RAW_SERIES_MOST:
        return slot->most;
    case MPROF_RAW_SERIES_BLOCKS:
        return slot->blocks;
    case MPROF_RAW_SERIES_RSS:
        return slot->rss;
    default:
        return slot->mapped;
    }
}

static uint64_t get_mark(const void *context, uint32_t tag, uint64_t row)
{
    const struct mprt_rawseries *const s =
        (const struct mprt_rawseries *)context;
    const struct mprt_series_mark *const mark = &s->marks[row];

    switch (tag) {
    case MPROF_RAW_MARKS_NS:
        return mark->ns;
    case MPROF_RAW_MARKS_KIND:
        return mark->kind;
    case MPROF_RAW_MARKS_NAME:
        return s->names[mark->name];
    default:
        return mark->bytes;
    }
}

void mprt_rawseries_add(const struct mprt_rawseries *s, struct mprof_buf *out,
                        struct mprof_dir *dir)
{
    if (s->count != 0)
        mprt_rawpack_add(out, dir, MPROF_RAW_SERIES,
                         &(struct mprof_table_source){
                             MPRT_RAWPACK_TAGS(
                                 MPROF_RAW_SERIES_NS, MPROF_RAW_SERIES_BYTES,
                                 MPROF_RAW_SERIES_MOST, MPROF_RAW_SERIES_BLOCKS,
                                 MPROF_RAW_SERIES_RSS, MPROF_RAW_SERIES_MAPPED),
                             .rows = s->count, .get = get_slot, .context = s});
    if (s->mark_count != 0)
        mprt_rawpack_add(
            out, dir, MPROF_RAW_MARKS,
            &(struct mprof_table_source){
                MPRT_RAWPACK_TAGS(MPROF_RAW_MARKS_NS, MPROF_RAW_MARKS_KIND,
                                  MPROF_RAW_MARKS_NAME, MPROF_RAW_MARKS_BYTES),
                .rows = s->mark_count, .get = get_mark, .context = s});
}
