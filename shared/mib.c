/* mib.c -- building and merging memory info blocks by the rules of MIBDef.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/mib.h"

const struct mprof_mib_field mprof_mib_fields[MPROF_MIB_FIELDS] = {
#define MPROF_MIB(tag, name, type, merge, unit, help) \
    {tag, MPROF_MIB_WIDTH_##type, MPROF_MERGE_##merge, #name, #unit, help},
#include "shared/MIBDef.inc"
#undef MPROF_MIB
};

void mprof_mib_from_block(struct mprof_mib *mib,
                          const struct mprof_block_life *life)
{
    const uint64_t size = life->size != 0 ? life->size : 1;
    const uint64_t alloc_ms = life->alloc_ns / MPROF_NS_PER_MS;
    const uint64_t dealloc_ms = life->dealloc_ns / MPROF_NS_PER_MS;
    const uint64_t life_ms = dealloc_ms > alloc_ms ? dealloc_ms - alloc_ms : 0;
    const uint64_t life_ns = life->dealloc_ns > life->alloc_ns
                                 ? life->dealloc_ns - life->alloc_ns
                                 : 0;
    const uint64_t density = mprof_mul_sat_u64(life->access_count, 100) / size;
    const uint64_t ladensity =
        mprof_mul_sat_u64(density, 1000) / (life_ms != 0 ? life_ms : 1);

    *mib = (struct mprof_mib){
        .AllocCount = 1,
        .TotalAccessCount = life->access_count,
        .MinAccessCount = life->access_count,
        .MaxAccessCount = life->access_count,
        .TotalSize = life->size,
        .MinSize = life->size,
        .MaxSize = life->size,
        .AllocTimestamp = alloc_ms,
        .DeallocTimestamp = dealloc_ms,
        .TotalLifetime = life_ms,
        .MinLifetime = life_ms,
        .MaxLifetime = life_ms,
        .AllocCpuId = life->alloc_cpu,
        .DeallocCpuId = life->dealloc_cpu,
        .NumMigratedCpu = life->alloc_cpu != life->dealloc_cpu,
        .TotalAccessDensity = density,
        .MinAccessDensity = density,
        .MaxAccessDensity = density,
        .TotalLifetimeAccessDensity = ladensity,
        .MinLifetimeAccessDensity = ladensity,
        .MaxLifetimeAccessDensity = ladensity,
        .TotalLifetimeNs = life_ns,
        .MinLifetimeNs = life_ns,
        .MaxLifetimeNs = life_ns,
        .LiveCount = life->is_live,
        .LiveBytes = life->is_live ? life->size : 0,
        .SaturatedCount = life->is_saturated,
    };
}

/* Wants `merge` to be a constant, so that the compiler drops the switch. */
static inline uint64_t merge_values(enum mprof_mib_merge merge, uint64_t a,
                                    uint64_t b)
{
    switch (merge) {
    case MPROF_MERGE_SUM:
        return mprof_add_sat_u64(a, b);
    case MPROF_MERGE_MIN:
        return mprof_min_u64(a, b);
    case MPROF_MERGE_MAX:
        return mprof_max_u64(a, b);
    case MPROF_MERGE_NONE:
        break;
    }
    return 0;
}

void mprof_mib_merge(struct mprof_mib *into, const struct mprof_mib *from)
{
    if (from->AllocCount == 0)
        return;
    if (into->AllocCount == 0) {
        *into = *from;
        into->AccessHistogram = 0;
        return;
    }
#define MPROF_MIB(tag, name, type, merge, unit, help) \
    into->name = merge_values(MPROF_MERGE_##merge, into->name, from->name);
#include "shared/MIBDef.inc"
#undef MPROF_MIB
}

void mprof_mib_append(struct mprof_mib *mib, const struct mprof_mib *block)
{
    const struct mprof_mib last = *mib;

    mprof_mib_merge(mib, block);
    if (last.AllocCount == 0)
        return;
    mib->NumLifetimeOverlaps += block->AllocTimestamp < last.DeallocTimestamp;
    mib->NumSameAllocCpu += block->AllocCpuId == last.AllocCpuId;
    mib->NumSameDeallocCpu += block->DeallocCpuId == last.DeallocCpuId;
    mib->AllocTimestamp = block->AllocTimestamp;
    mib->DeallocTimestamp = block->DeallocTimestamp;
    mib->AllocCpuId = block->AllocCpuId;
    mib->DeallocCpuId = block->DeallocCpuId;
}

uint64_t mprof_mib_life_value(const struct mprof_block_life *life, size_t index)
{
    struct mprof_mib mib;

    switch (index) {
    case MPROF_MIB_INDEX_AllocCount:
        return 1;
    case MPROF_MIB_INDEX_TotalAccessCount:
    case MPROF_MIB_INDEX_MinAccessCount:
    case MPROF_MIB_INDEX_MaxAccessCount:
        return life->access_count;
    case MPROF_MIB_INDEX_TotalSize:
    case MPROF_MIB_INDEX_MinSize:
    case MPROF_MIB_INDEX_MaxSize:
        return life->size;
    case MPROF_MIB_INDEX_AllocTimestamp:
        return life->alloc_ns / MPROF_NS_PER_MS;
    case MPROF_MIB_INDEX_DeallocTimestamp:
        return life->dealloc_ns / MPROF_NS_PER_MS;
    default:
        mprof_mib_from_block(&mib, life);
        return mprof_mib_get(&mib, index);
    }
}

/* -- one life, without building its MIB ------------------------------------ */

void mprof_mib_add_life(struct mprof_mib *mib,
                        const struct mprof_block_life *the_life)
{
    const struct mprof_block_life copy = *the_life; /* the MIB is not in it */
    const struct mprof_block_life *const life = &copy;

    if (MPROF_UNLIKELY(mib->AllocCount == 0)) {
        mprof_mib_from_block(mib, life);
        return;
    }
    const uint64_t size = life->size != 0 ? life->size : 1;
    const uint64_t alloc_ms = life->alloc_ns / MPROF_NS_PER_MS;
    const uint64_t dealloc_ms = life->dealloc_ns / MPROF_NS_PER_MS;
    const uint64_t life_ms = dealloc_ms > alloc_ms ? dealloc_ms - alloc_ms : 0;
    const uint64_t life_ns = life->dealloc_ns > life->alloc_ns
                                 ? life->dealloc_ns - life->alloc_ns
                                 : 0;
    const uint64_t density =
        mprof_mib_divide(mprof_mul_sat_u64(life->access_count, 100), size);
    uint64_t ladensity = mprof_mul_sat_u64(density, 1000);

    if (MPROF_UNLIKELY(life_ms > 1))
        ladensity = mprof_mib_divide(ladensity, life_ms);
    mprof_mib_add_sum(&mib->AllocCount, 1);
    mprof_mib_add_sum(&mib->TotalAccessCount, life->access_count);
    mprof_mib_add_range(&mib->MinAccessCount, &mib->MaxAccessCount,
                        life->access_count);
    mprof_mib_add_sum(&mib->TotalSize, life->size);
    mprof_mib_add_range(&mib->MinSize, &mib->MaxSize, life->size);
    mprof_mib_add_sum(&mib->TotalLifetime, life_ms);
    mprof_mib_add_range(&mib->MinLifetime, &mib->MaxLifetime, life_ms);
    mprof_mib_add_sum(&mib->TotalAccessDensity, density);
    mprof_mib_add_range(&mib->MinAccessDensity, &mib->MaxAccessDensity,
                        density);
    mprof_mib_add_sum(&mib->TotalLifetimeAccessDensity, ladensity);
    mprof_mib_add_range(&mib->MinLifetimeAccessDensity,
                        &mib->MaxLifetimeAccessDensity, ladensity);
    mprof_mib_add_sum(&mib->TotalLifetimeNs, life_ns);
    mprof_mib_add_range(&mib->MinLifetimeNs, &mib->MaxLifetimeNs, life_ns);
    if (MPROF_UNLIKELY(life->is_live)) {
        mprof_mib_add_sum(&mib->LiveCount, 1);
        mprof_mib_add_sum(&mib->LiveBytes, life->size);
    }
    if (MPROF_UNLIKELY(life->is_saturated))
        mprof_mib_add_sum(&mib->SaturatedCount, 1);
    if (MPROF_UNLIKELY(life->alloc_cpu != life->dealloc_cpu))
        mprof_mib_add_sum(&mib->NumMigratedCpu, 1);
    /* Against the block that was recorded before, which this one replaces. */
    mib->NumLifetimeOverlaps += alloc_ms < mib->DeallocTimestamp;
    mib->NumSameAllocCpu += life->alloc_cpu == mib->AllocCpuId;
    mib->NumSameDeallocCpu += life->dealloc_cpu == mib->DeallocCpuId;
    mib->AllocTimestamp = alloc_ms;
    mib->DeallocTimestamp = dealloc_ms;
    mib->AllocCpuId = life->alloc_cpu;
    mib->DeallocCpuId = life->dealloc_cpu;
}

uint64_t mprof_mib_get(const struct mprof_mib *mib, size_t index)
{
    switch (index) {
#define MPROF_MIB(tag, name, type, merge, unit, help) \
    case MPROF_MIB_INDEX_##name:                      \
        return mib->name;
#include "shared/MIBDef.inc"
#undef MPROF_MIB
    default:
        return 0;
    }
}

void mprof_mib_set(struct mprof_mib *mib, size_t index, uint64_t value)
{
    switch (index) {
#define MPROF_MIB(tag, name, type, merge, unit, help) \
    case MPROF_MIB_INDEX_##name:                      \
        mib->name = value;                            \
        break;
#include "shared/MIBDef.inc"
#undef MPROF_MIB
    default:
        break;
    }
}

size_t mprof_mib_index_of_tag(uint32_t tag)
{
    switch (tag) {
#define MPROF_MIB(tag, name, type, merge, unit, help) \
    case tag:                                         \
        return MPROF_MIB_INDEX_##name;
#include "shared/MIBDef.inc"
#undef MPROF_MIB
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
