/* event_sums.c -- the blocks of a call stack in a log: what the runtime keeps
 * of them, computed as rt/record/mibmap.c does.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_sums.h"
#include "profdata/model/profile.h"

#include <stdlib.h>

/* Adds `more` blocks. blocks: those before. */
static bool count(struct mpdata_event_buckets *b, uint32_t bucket,
                  uint64_t blocks, uint32_t more)
{
    if (blocks == 0)
        b->first = bucket;
    if (bucket == b->first)
        return true;
    if (b->others == NULL)
        b->others = calloc(MPROF_DETAIL_BUCKETS, sizeof(*b->others));
    if (b->others == NULL)
        return false;
    b->others[bucket] += more;
    return true;
}

/* A block of an earlier peak was not alive at this one. */
static void take_peak(struct mpdata_event_sums *sums,
                      struct mprof_block_life *life)
{
    const int32_t later = (int32_t)(life->peak - sums->peak);

    if (life->peak == 0)
        return;
    if (sums->mib.AllocCount != 0 && later < 0) {
        life->peak = 0;
    } else if (later != 0) {
        sums->mib.PeakCount = sums->mib.PeakBytes = 0;
        sums->mib.PeakBytesVariance = 0;
        sums->peak = life->peak;
    }
}

bool mpdata_event_sums_add(struct mpdata_event_sums *sums,
                           const struct mprof_block_life *block,
                           const struct mprof_block_rw *rw, uint32_t weight)
{
    const uint64_t before = sums->mib.AllocCount;
    const uint32_t blocks = weight != 0 ? weight : 1;
    struct mprof_block_life life = *block;

    take_peak(sums, &life);
    if (weight != 0)
        mprof_mib_add_sampled(&sums->mib, &life, weight);
    else
        mprof_mib_add_life(&sums->mib, &life);
    if (rw != NULL)
        mprof_mib_add_rw(&sums->mib, rw, blocks);
    return count(&sums->sizes, mprof_detail_bucket(life.size), before,
                 blocks) &&
           count(&sums->lifetimes,
                 mprof_detail_bucket(
                     mprof_sub_sat_u64(life.dealloc_ns, life.alloc_ns)),
                 before, blocks);
}

void mpdata_event_sums_finish(struct mpdata_event_sums *sums, uint32_t peak,
                              uint64_t most_bytes, uint64_t most_blocks)
{
    struct mprof_mib *const mib = &sums->mib;

    if (sums->peak != peak)
        mib->PeakCount = mib->PeakBytes = mib->PeakBytesVariance = 0;
    mib->MeasuredCount = mib->AllocCount;
    mib->MaxLiveBytes = mprof_max_u64(most_bytes, mib->MaxSize);
    mib->MaxLiveCount = mprof_max_u64(most_blocks, 1);
}

void mpdata_event_sums_all(const struct mpdata_event_sums *ended,
                           const struct mpdata_event_sums *live,
                           uint64_t *bytes, uint64_t *blocks)
{
    const struct mpdata_event_sums none = {.peak = 0};
    const struct mprof_mib *const a = &(ended != NULL ? ended : &none)->mib;
    const struct mprof_mib *const b = &(live != NULL ? live : &none)->mib;

    *bytes = mprof_add_sat_u64(a->TotalSize, b->TotalSize);
    *blocks = a->AllocCount + b->AllocCount;
}

void mpdata_event_sums_take_peak(struct mprof_mib *mibs, size_t count)
{
    uint64_t live = 0;
    uint64_t peak = 0;

    for (size_t i = 0; i < count; i++) {
        live = mprof_add_sat_u64(live, mibs[i].LiveBytes);
        peak = mprof_add_sat_u64(peak, mibs[i].PeakBytes);
    }
    for (size_t i = 0; i < count && live > peak; i++) {
        struct mprof_mib *const mib = &mibs[i];

        mib->PeakCount = mib->LiveCount;
        mib->PeakBytes = mib->LiveBytes;
        mib->PeakBytesVariance = mib->LiveBytesVariance;
        mib->MaxLiveCount = mprof_max_u64(mib->MaxLiveCount, mib->PeakCount);
        mib->MaxLiveBytes = mprof_max_u64(mib->MaxLiveBytes, mib->PeakBytes);
    }
}

static bool put(struct mpdata_vec *details, uint32_t kind, uint32_t key,
                uint64_t blocks)
{
    struct mpdata_detail *const d = mpdata_vec_push(details);

    if (d != NULL)
        *d = (struct mpdata_detail){.kind = kind, .key = key, .count = blocks};
    return d != NULL;
}

static bool put_buckets(const struct mpdata_event_buckets *b, uint32_t kind,
                        uint64_t blocks, struct mpdata_vec *details)
{
    uint64_t firsts = blocks;

    if (b->others == NULL)
        return true;
    for (uint32_t i = 0; i < MPROF_DETAIL_BUCKETS; i++)
        firsts -= b->others[i];
    for (uint32_t i = 0; i < MPROF_DETAIL_BUCKETS; i++) {
        const uint64_t n = i == b->first ? firsts : b->others[i];

        if (n != 0 && !put(details, kind, i, n))
            return false;
    }
    return true;
}

bool mpdata_event_sums_details(const struct mpdata_event_sums *sums,
                               struct mpdata_vec *details)
{
    const uint64_t blocks = sums->mib.AllocCount;

    return put_buckets(&sums->sizes, MPROF_DETAIL_SIZE, blocks, details) &&
           put_buckets(&sums->lifetimes, MPROF_DETAIL_LIFETIME, blocks,
                       details);
}

void mpdata_event_sums_fini(struct mpdata_event_sums *sums)
{
    free(sums->sizes.others);
    free(sums->lifetimes.others);
}
