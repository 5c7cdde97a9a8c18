/* mib.c -- building and merging memory info blocks by the rules of MIBDef.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/mib.h"

const struct mprof_mib_field mprof_mib_fields[MPROF_MIB_FIELDS] = {
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    {tag, MPROF_MIB_WIDTH_##type, MPROF_MERGE_##merge, #name, #unit, help},
#include "shared/MIBDef.inc"
};

/* The MIB of one block. Formulas that no field of this one takes cost nothing.
 */
static inline struct mprof_mib mib_of(const struct mprof_block_life *life)
{
#define MPROF_MIB_VALUE(name, formula) \
    const uint64_t name __attribute__((unused)) = (formula);
#include "shared/MIBDef.inc"

    return (struct mprof_mib){
#define VALUE_SAME(value) value
#define VALUE_RARE(value) value
#define VALUE_LAST(value) value
#define VALUE_PAIR(value) 0
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    .name = VALUE_##add(formula),
#include "shared/MIBDef.inc"
    };
}

void mprof_mib_from_block(struct mprof_mib *mib,
                          const struct mprof_block_life *life)
{
    *mib = mib_of(life);
}

uint64_t mprof_mib_life_value(const struct mprof_block_life *life, size_t index)
{
    const struct mprof_mib mib = mib_of(life);

    return mprof_mib_get(&mib, index);
}

/* -- Two MIBs of one call stack -------------------------------------------- */

/* By the rule of the column `merge`. */
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

/* The same for a program that waits for it: branches that are seldom taken, and
 * stores only where the value changes. */
static inline void add_SUM(uint64_t *sum, uint64_t n)
{
    mprof_mib_add_sum(sum, n);
}

static inline void add_MIN(uint64_t *min, uint64_t n)
{
    if (MPROF_UNLIKELY(n < *min))
        *min = n;
}

static inline void add_MAX(uint64_t *max, uint64_t n)
{
    if (MPROF_UNLIKELY(n > *max))
        *max = n;
}

static inline void add_NONE(uint64_t *none, uint64_t n)
{
    (void)none;
    (void)n;
}

/* Adds a block, or blocks, recorded after `last`, which is not empty. A pair
 * adds 0 or 1. */
__attribute__((always_inline)) static inline void
add_next(struct mprof_mib *last, const struct mprof_mib *next)
{
#define MPROF_MIB_PAIR(name, formula) const uint64_t name = (formula);
#include "shared/MIBDef.inc"

#define ADD_SAME(merge, name, value) add_##merge(&last->name, next->name);
#define ADD_RARE(merge, name, value)     \
    if (MPROF_UNLIKELY(next->name != 0)) \
        add_##merge(&last->name, next->name);
#define ADD_LAST(merge, name, value) last->name = next->name;
#define ADD_PAIR(merge, name, value)      \
    add_##merge(&last->name, next->name); \
    last->name += value;
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    ADD_##add(merge, name, formula)
#include "shared/MIBDef.inc"
}

__attribute__((always_inline)) static inline void
add_life(struct mprof_mib *mib, const struct mprof_block_life *life)
{
    const struct mprof_mib block = mib_of(life);

    add_next(mib, &block);
}

/* Nothing that a bit says but, perhaps, temporary. */
static inline bool is_usual(const struct mprof_block_life *life)
{
    return life->peak == 0 && life->grown_bytes == 0 && !life->is_replaced &&
           !life->is_live && !life->is_saturated && !life->is_elsewhere &&
           !life->is_unseen;
}

/* What the bits of a life say that is not usual, apart, so that it takes no
 * instructions of most lives. */
static __attribute__((noinline)) void
add_bits(struct mprof_mib *mib, const struct mprof_block_life *life)
{
    struct mprof_block_life bits = *life;

    bits.is_temporary = 0;
    bits.dealloc_cpu = bits.alloc_cpu;
    const struct mprof_mib block = mib_of(&bits);
#define BITS_SAME(merge, name)
#define BITS_LAST(merge, name)
#define BITS_PAIR(merge, name)
#define BITS_RARE(merge, name) add_##merge(&mib->name, block.name);
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    BITS_##add(merge, name)
#include "shared/MIBDef.inc"
}

void mprof_mib_add_life(struct mprof_mib *mib,
                        const struct mprof_block_life *life)
{
    if (MPROF_UNLIKELY(mib->AllocCount == 0)) {
        mprof_mib_from_block(mib, life);
        return;
    }
    if (MPROF_UNLIKELY(!is_usual(life)))
        add_bits(mib, life);
    const struct mprof_block_life usual = {.size = life->size,
                                           .access_count = life->access_count,
                                           .alloc_ns = life->alloc_ns,
                                           .dealloc_ns = life->dealloc_ns,
                                           .alloc_cpu = life->alloc_cpu,
                                           .dealloc_cpu = life->dealloc_cpu,
                                           .is_temporary = life->is_temporary};
    add_life(mib, &usual);
}

void mprof_mib_add_rw(struct mprof_mib *mib, const struct mprof_block_rw *rw,
                      uint32_t weight)
{
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

/* -- Blocks that stand for others ------------------------------------------- */

static uint64_t square(uint64_t value)
{
    return mprof_mul_sat_u64(value, value);
}

static struct mprof_mib sampled_mib(const struct mprof_block_life *life,
                                    uint32_t weight)
{
    const struct mprof_mib one = mib_of(life);
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

void mprof_mib_add_sampled(struct mprof_mib *mib,
                           const struct mprof_block_life *life, uint32_t weight)
{
    const struct mprof_mib block = sampled_mib(life, weight);
    const struct mprof_mib *const last = mib;
    const struct mprof_mib *const next = &block;

    if (mib->AllocCount == 0) {
        *mib = block;
        return;
    }
#define MPROF_MIB_PAIR(name, formula) const uint64_t name = (formula);
#include "shared/MIBDef.inc"
    add_next(mib, &block);
    /* It made one pair. */
#define MORE_SAME(name, value)
#define MORE_RARE(name, value)
#define MORE_LAST(name, value)
#define MORE_PAIR(name, value) \
    mprof_mib_add_sum(&mib->name, (value) * (weight - UINT64_C(1)));
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    MORE_##add(name, formula)
#include "shared/MIBDef.inc"
}

/* -- The short form ---------------------------------------------------------- */

void mprof_mib_unpack(struct mprof_mib *mib,
                      const struct mprof_mib_packed *packed)
{
    *mib = (struct mprof_mib){
#define MPROF_MIB_PACKED(name, bits) .name = packed->name,
#include "shared/MIBDef.inc"
    };
}

bool mprof_mib_pack(struct mprof_mib_packed *packed,
                    const struct mprof_mib *mib)
{
    struct mprof_mib same;
    uint64_t differs = 0;

    *packed = (struct mprof_mib_packed){
#define MPROF_MIB_PACKED(name, bits) \
    .name = mib->name & (UINT64_MAX >> (64 - (bits))),
#include "shared/MIBDef.inc"
    };
    mprof_mib_unpack(&same, packed);
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    differs |= same.name ^ mib->name;
#include "shared/MIBDef.inc"
    return differs == 0;
}

/* -- By index and tag ------------------------------------------------------- */

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
    /* Hot is more than 1000 accesses a byte and second; times 100. */
    mib->TotalLifetimeAccessDensity =
        mprof_max_u64(mib->TotalLifetimeAccessDensity,
                      mprof_mul_sat_u64(mib->AllocCount, 1000 * 100));
}

void mprof_mib_fill_from_llvm(struct mprof_mib *mib)
{
#define MPROF_MIB_FROM_LLVM(name, formula) mib->name = (formula);
#include "shared/MIBDef.inc"
}
