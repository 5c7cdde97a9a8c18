/* mib.c -- builds and merges memory info blocks by the rules of MIBDef.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/mib.h"

const struct mprof_mib_field mprof_mib_fields[MPROF_MIB_FIELDS] = {
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    {tag, MPROF_MIB_WIDTH_##type, MPROF_MERGE_##merge, #name, #unit, help},
#include "shared/MIBDef.inc"
};

void mprof_mib_from_block(struct mprof_mib *mib,
                          const struct mprof_block_life *life)
{
    *mib = mprof_mib_of(life);
}

/* -- Two MIBs of one call stack -------------------------------------------- */

/* The rules of the column `merge`. */
#define MERGE_SUM(a, b) mprof_add_sat_u64(a, b)
#define MERGE_MIN(a, b) mprof_min_u64(a, b)
#define MERGE_MAX(a, b) mprof_max_u64(a, b)
#define MERGE_NONE(a, b) 0

void mprof_mib_merge(struct mprof_mib *into, const struct mprof_mib *from)
{
    if (from->AllocCount == 0)
        return;
    if (into->AllocCount == 0) {
        *into = *from;
        into->AccessHistogram = 0;
        return;
    }
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    into->name = MERGE_##merge(into->name, from->name);
#include "shared/MIBDef.inc"
}

void mprof_mib_add_rw(struct mprof_mib *mib, const struct mprof_block_rw *rw,
                      uint32_t weight)
{
    if (rw->has_threads) {
        mprof_mib_add_sum(&mib->TransferCount,
                          mprof_mul_sat_u64(rw->transfers, weight));
        mprof_mib_add_sum(&mib->FalseTransferCount,
                          mprof_mul_sat_u64(rw->false_transfers, weight));
        mib->HandedCount += rw->is_handed ? weight : 0;
    }
    if (!rw->is_measured)
        return;
    mprof_mib_add_sum(&mib->TotalReads, mprof_mul_sat_u64(rw->reads, weight));
    mprof_mib_add_sum(&mib->TotalWrites, mprof_mul_sat_u64(rw->writes, weight));
    mib->MeasuredRw += weight;
    if (!rw->has_bytes)
        return;
    mprof_mib_add_sum(&mib->TotalReadBytes,
                      mprof_mul_sat_u64(rw->read_bytes, weight));
    mprof_mib_add_sum(&mib->TotalWriteBytes,
                      mprof_mul_sat_u64(rw->write_bytes, weight));
    mib->MeasuredRwBytes += weight;
}

/* -- Sampled blocks --------------------------------------------------------- */

static uint64_t square(uint64_t value)
{
    return mprof_mul_sat_u64(value, value);
}

static struct mprof_mib sampled_mib(const struct mprof_block_life *life,
                                    uint32_t weight)
{
    const struct mprof_mib one = mprof_mib_of(life);
    const uint64_t variance = weight * (uint64_t)(weight - 1);
    struct mprof_mib mib = one;

#define SCALE_SUM(name) mib.name = mprof_mul_sat_u64(mib.name, weight);
#define SCALE_MIN(name)
#define SCALE_MAX(name)
#define SCALE_NONE(name)
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    SCALE_##merge(name)
#include "shared/MIBDef.inc"
#define OF(value) mprof_mul_sat_u64(square(value), variance)
    mib.SampledCount = 1;
    mib.AllocCountVariance = variance;
    mib.TotalSizeVariance = OF(one.TotalSize);
    mib.TotalAccessCountVariance = OF(one.TotalAccessCount);
    mib.LiveBytesVariance = OF(one.LiveBytes);
    mib.PeakBytesVariance = OF(one.PeakBytes);
#undef OF
    return mib;
}

/* Like mprof_mib_add_life() for the MIB `next` of a block that represents
 * `weight` blocks. */
static void add_next(struct mprof_mib *last, const struct mprof_mib *next,
                     uint64_t weight)
{
    const uint64_t alloc_ms = next->AllocTimestamp;
    const uint64_t alloc_cpu = next->AllocCpuId;
    const uint64_t dealloc_cpu = next->DeallocCpuId;

#define MPROF_MIB_PAIR(name, formula) const uint64_t name = (formula);
#include "shared/MIBDef.inc"
#define NEXT_SAME(merge, name, value) \
    MPROF_MIB_ADD_##merge(last->name, next->name)
#define NEXT_RARE(merge, name, value) \
    MPROF_MIB_ADD_##merge(last->name, next->name)
#define NEXT_LAST(merge, name, value) last->name = next->name;
#define NEXT_PAIR(merge, name, value) \
    MPROF_MIB_ADD_##merge(last->name, (value)*weight)
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    NEXT_##add(merge, name, formula)
#include "shared/MIBDef.inc"
}

void mprof_mib_add_sampled(struct mprof_mib *mib,
                           const struct mprof_block_life *life, uint32_t weight)
{
    const struct mprof_mib block = sampled_mib(life, weight);

    if (mib->AllocCount == 0)
        *mib = block;
    else
        add_next(mib, &block, weight);
}

void mprof_mib_add_bursts(struct mprof_mib *mib, uint64_t counted,
                          uint64_t *sum, uint32_t period)
{
    /* (sum + counted)^2 - sum^2 */
    const uint64_t squares = mprof_mul_sat_u64(
        counted, mprof_add_sat_u64(mprof_mul_sat_u64(*sum, 2), counted));
    const uint64_t variance =
        mprof_mul_sat_u64(squares, (uint64_t)period * (period - 1));

    *sum = mprof_add_sat_u64(*sum, counted);
    mprof_mib_add_sum(&mib->BurstVariance, variance);
    mprof_mib_add_sum(&mib->TotalAccessCountVariance, variance);
}

uint64_t mprof_mib_root(uint64_t n)
{
    uint64_t r = 0;

    for (uint64_t bit = UINT64_C(1) << 31; bit != 0; bit >>= 1) {
        if ((r | bit) * (r | bit) <= n)
            r |= bit;
    }
    return r;
}

void mprof_mib_join_bursts(struct mprof_mib *mib, uint64_t squares,
                           uint32_t period)
{
    const uint64_t variance =
        mprof_mul_sat_u64(squares, (uint64_t)period * (period - 1));
    const uint64_t more = mprof_add_sat_u64(
        variance, mprof_mul_sat_u64(2 * mprof_mib_root(variance),
                                    mprof_mib_root(mib->BurstVariance)));

    mprof_mib_add_sum(&mib->BurstVariance, more);
    mprof_mib_add_sum(&mib->TotalAccessCountVariance, more);
}

void mprof_mib_move_bursts(struct mprof_mib *to, struct mprof_mib *from)
{
    mprof_mib_add_sum(&to->BurstVariance, from->BurstVariance);
    mprof_mib_add_sum(&to->TotalAccessCountVariance, from->BurstVariance);
    from->TotalAccessCountVariance =
        mprof_sub_sat_u64(from->TotalAccessCountVariance, from->BurstVariance);
    from->BurstVariance = 0;
}

/* -- Fields by index and by tag --------------------------------------------- */

uint64_t mprof_mib_get(const struct mprof_mib *mib, size_t index)
{
    switch (index) {
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    case MPROF_MIB_INDEX_##name:                                    \
        return mib->name;
#include "shared/MIBDef.inc"
    default:
        return 0;
    }
}

void mprof_mib_set(struct mprof_mib *mib, size_t index, uint64_t value)
{
    switch (index) {
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    case MPROF_MIB_INDEX_##name:                                    \
        mib->name = value;                                          \
        break;
#include "shared/MIBDef.inc"
    default:
        break;
    }
}

size_t mprof_mib_measured_by(size_t index)
{
    switch (index) {
#define MPROF_MIB_MEASURED(name, by) \
    case MPROF_MIB_INDEX_##name:     \
        return MPROF_MIB_INDEX_##by;
#include "shared/MIBDef.inc"
    default:
        return MPROF_MIB_FIELDS;
    }
}

bool mprof_mib_is_held(const struct mprof_mib *mib, size_t index)
{
    const size_t by = mprof_mib_measured_by(index);

    return by == MPROF_MIB_FIELDS || mprof_mib_get(mib, by) != 0;
}

size_t mprof_mib_index_of_tag(uint32_t tag)
{
    switch (tag) {
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    case tag:                                                       \
        return MPROF_MIB_INDEX_##name;
#include "shared/MIBDef.inc"
    default:
        return MPROF_MIB_FIELDS;
    }
}

uint64_t mprof_mib_llvm_value(const struct mprof_mib *mib, size_t index)
{
    const uint64_t value = mprof_mib_get(mib, index);

    if (index < MPROF_MIB_FIELDS && mprof_mib_fields[index].llvm_width == 4)
        return mprof_min_u64(value, UINT32_MAX);
    return value;
}

void mprof_mib_keep_from_cold(struct mprof_mib *mib)
{
    /* LLVM's threshold of hot is 1000 accesses per byte and second. The field
     * counts in units of 1/100. */
    mib->TotalLifetimeAccessDensity =
        mprof_max_u64(mib->TotalLifetimeAccessDensity,
                      mprof_mul_sat_u64(mib->AllocCount, 1000 * 100));
}

void mprof_mib_fill_from_llvm(struct mprof_mib *mib)
{
#define MPROF_MIB_FROM_LLVM(name, formula) mib->name = (formula);
#include "shared/MIBDef.inc"
}
