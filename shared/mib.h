/* mib.h -- the memory info block: what is known of all blocks that one call
 * stack allocated. Everything here is expanded from MIBDef.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_MIB_H
#define MPROF_MIB_H

#include "shared/base.h"

/* Field widths in LLVM's packed encodings, in bytes. */
#define MPROF_MIB_WIDTH_u32 4
#define MPROF_MIB_WIDTH_u64 8

/* The highest tag of LLVM 22's schema, and of its raw version 3. */
#define MPROF_MIB_LLVM_TAG_MAX 27
#define MPROF_MIB_LLVM_V3_TAG_MAX 25

struct mprof_mib {
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    uint64_t name;
#include "shared/MIBDef.inc"
};

enum mprof_mib_merge {
    MPROF_MERGE_SUM,
    MPROF_MERGE_MIN,
    MPROF_MERGE_MAX,
    MPROF_MERGE_NONE
};

/* Index of a field in mprof_mib_fields[], and of its value when struct
 * mprof_mib is seen as an array of uint64_t. */
enum mprof_mib_index {
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    MPROF_MIB_INDEX_##name,
#include "shared/MIBDef.inc"
    MPROF_MIB_FIELDS
};

enum mprof_mib_tag {
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    MPROF_MIB_TAG_##name = (tag),
#include "shared/MIBDef.inc"
};

struct mprof_mib_field {
    uint32_t tag;
    uint8_t llvm_width; /* bytes in LLVM's encodings: 4 or 8 */
    uint8_t merge;      /* enum mprof_mib_merge */
    const char *name;
    const char *unit;
    const char *help;
};

/* In the order of MIBDef.inc, which is ascending by tag. */
extern const struct mprof_mib_field mprof_mib_fields[MPROF_MIB_FIELDS];

/* One block's life, as the runtime sees it when the block ends or a dump looks
 * at it. Times count from the start of the run. */
struct mprof_block_life {
    uint64_t size;         /* requested bytes */
    uint64_t access_count; /* loads, stores and words of ranges */
    uint64_t alloc_ns;
    uint64_t dealloc_ns; /* "now" for a block that lives */
    uint16_t alloc_cpu;
    uint16_t dealloc_cpu;
    uint32_t peak; /* the last one that saw it alive, or 0: none */
    uint64_t
        grown_bytes : 48; /* by realloc, which replaced it by a larger one */
    uint64_t is_replaced : 1;  /* by realloc, whatever the sizes */
    uint64_t is_live : 1;      /* seen by a dump, not freed */
    uint64_t is_saturated : 1; /* a histogram cell stood at its maximum */
    uint64_t is_temporary : 1; /* freed before its thread's next allocation */
    uint64_t is_elsewhere : 1; /* freed by another thread */
    uint64_t is_unseen : 1;    /* accesses to it were not counted */
};
_Static_assert(sizeof(struct mprof_block_life) == 48,
               "many contexts have nothing but one");

/* Reads and writes of one block, where the program counts them apart. */
struct mprof_block_rw {
    uint64_t reads;
    uint64_t writes;
    uint64_t read_bytes;
    uint64_t write_bytes;
    bool is_measured; /* no access was counted without its direction */
    bool has_bytes;   /* ... nor without its bytes */
};

/* Adds those of a block to the MIB that has the block, which stands for so
 * many.
 */
void mprof_mib_add_rw(struct mprof_mib *mib, const struct mprof_block_rw *rw,
                      uint32_t weight);

/* The MIB of one block; formulas as LLVM's: see MIBDef.inc. */
void mprof_mib_from_block(struct mprof_mib *mib,
                          const struct mprof_block_life *life);

/* Adds a later block of the same call stack in the running program, by the
 * column `add` of MIBDef.inc: like mprof_mib_merge of mprof_mib_from_block(),
 * but counts overlaps and equal CPUs against the block that was recorded
 * before, and keeps times and CPUs of the new one, as LLVM's runtime does.
 * mib->AllocCount == 0 means "nothing recorded yet". */
void mprof_mib_add_life(struct mprof_mib *mib,
                        const struct mprof_block_life *life);

/* The same of a block that was sampled and stands for `weight` blocks, of which
 * the chance to be sampled is the reciprocal, on average. A sum of them is an
 * estimate without bias, and that of weight * (weight - 1) * value^2 one of its
 * variance: weight^2 value^2 is expected 1 / chance times, of which value^2 is
 * the square of what is to be estimated. */
void mprof_mib_add_sampled(struct mprof_mib *mib,
                           const struct mprof_block_life *life,
                           uint32_t weight);

#define MPROF_NS_PER_MS 1000000u

/* Branches, which nearly always go the same way, and no conditional moves: a
 * store only where the value changes. */
static inline void mprof_mib_add_sum(uint64_t *sum, uint64_t n)
{
    if (MPROF_UNLIKELY(__builtin_add_overflow(*sum, n, sum))) {
        __asm__("");
        *sum = UINT64_MAX;
    }
}
static inline void mprof_mib_add_range(uint64_t *min, uint64_t *max, uint64_t n)
{
    if (MPROF_UNLIKELY(n < *min))
        *min = n;
    if (MPROF_UNLIKELY(n > *max))
        *max = n;
}

/* A division of 32 bits takes half as long or less. */
static inline uint64_t mprof_mib_divide(uint64_t a, uint64_t b)
{
    return MPROF_LIKELY((a | b) >> 32 == 0) ? (uint32_t)a / (uint32_t)b : a / b;
}
/* a / max(b, 1), where b is 0 or 1 most of the time. */
static inline uint64_t mprof_mib_divide_rarely(uint64_t a, uint64_t b)
{
    return MPROF_UNLIKELY(b > 1) ? mprof_mib_divide(a, b) : a;
}

/* What most lives add, whatever their times are. */
__attribute__((always_inline)) static inline void
mprof_mib_add_sums(struct mprof_mib *mib, uint64_t size, uint64_t access_count,
                   uint64_t density, uint64_t ladensity, uint64_t life_ns)
{
    mprof_mib_add_sum(&mib->AllocCount, 1);
    mprof_mib_add_sum(&mib->TotalAccessCount, access_count);
    mprof_mib_add_range(&mib->MinAccessCount, &mib->MaxAccessCount,
                        access_count);
    mprof_mib_add_sum(&mib->TotalSize, size);
    mprof_mib_add_range(&mib->MinSize, &mib->MaxSize, size);
    mprof_mib_add_sum(&mib->TotalAccessDensity, density);
    mprof_mib_add_range(&mib->MinAccessDensity, &mib->MaxAccessDensity,
                        density);
    mprof_mib_add_sum(&mib->TotalLifetimeAccessDensity, ladensity);
    mprof_mib_add_range(&mib->MinLifetimeAccessDensity,
                        &mib->MaxLifetimeAccessDensity, ladensity);
    mprof_mib_add_sum(&mib->TotalLifetimeNs, life_ns);
    mprof_mib_add_range(&mib->MinLifetimeNs, &mib->MaxLifetimeNs, life_ns);
}

/* mprof_mib_add_life() of a life of at least a byte that is nothing that a bit
 * of it says but, perhaps, temporary, and was not alive at a peak, where it
 * began and ended on the CPU and in the millisecond in which the last one
 * ended, as most do in a busy program; false where it did not. Most of the rest
 * follows from that, so for speed this alone is written by hand. */
__attribute__((always_inline)) static inline bool
mprof_mib_add_brief(struct mprof_mib *mib, uint64_t size, uint64_t access_count,
                    uint64_t alloc_ns, uint64_t dealloc_ns, uint64_t alloc_cpu,
                    uint64_t dealloc_cpu, bool is_temporary)
{
    const uint64_t ms_start_ns = mib->DeallocTimestamp * MPROF_NS_PER_MS;

    if (MPROF_UNLIKELY(alloc_ns - ms_start_ns >= MPROF_NS_PER_MS ||
                       dealloc_ns - ms_start_ns >= MPROF_NS_PER_MS ||
                       alloc_cpu != mib->AllocCpuId ||
                       dealloc_cpu != mib->DeallocCpuId ||
                       alloc_cpu != dealloc_cpu || mib->MinLifetime != 0 ||
                       ((access_count << 8 | size) >> 32) != 0))
        return false;
    const uint64_t density = (uint32_t)access_count * 100 / (uint32_t)size;
    const uint64_t life_ns =
        MPROF_LIKELY(dealloc_ns > alloc_ns) ? dealloc_ns - alloc_ns : 0;
    mib->AllocTimestamp = mib->DeallocTimestamp;
    mprof_mib_add_sums(mib, size, access_count, density, density * 1000,
                       life_ns);
    mib->NumSameAllocCpu++;
    mib->NumSameDeallocCpu++;
    mib->TemporaryCount += is_temporary;
    return true;
}

/* The same of any times and CPUs, of a block that another thread may have
 * freed, or that was alive at a peak, and not the MIB's first. */
__attribute__((always_inline)) static inline void
mprof_mib_add_long(struct mprof_mib *mib, uint64_t size, uint64_t access_count,
                   uint64_t alloc_ns, uint64_t dealloc_ns, uint64_t alloc_cpu,
                   uint64_t dealloc_cpu, bool is_temporary, bool is_elsewhere,
                   bool is_at_peak)
{
    const uint64_t alloc_ms = alloc_ns / MPROF_NS_PER_MS;
    const uint64_t dealloc_ms = dealloc_ns / MPROF_NS_PER_MS;
    const uint64_t life_ms = mprof_sub_sat_u64(dealloc_ms, alloc_ms);
    uint64_t density = 0;
    uint64_t ladensity = 0;

    if (access_count != 0) {
        density = mprof_mib_divide(mprof_mul_sat_u64(access_count, 100), size);
        ladensity = mprof_mul_sat_u64(density, 1000);
        if (life_ms > 1)
            ladensity = mprof_mib_divide(ladensity, life_ms);
    }
    mprof_mib_add_sums(mib, size, access_count, density, ladensity,
                       mprof_sub_sat_u64(dealloc_ns, alloc_ns));
    mprof_mib_add_sum(&mib->TotalLifetime, life_ms);
    mprof_mib_add_range(&mib->MinLifetime, &mib->MaxLifetime, life_ms);
    mprof_mib_add_sum(&mib->NumMigratedCpu, alloc_cpu != dealloc_cpu);
    mprof_mib_add_sum(&mib->NumLifetimeOverlaps,
                      alloc_ms < mib->DeallocTimestamp);
    mprof_mib_add_sum(&mib->NumSameAllocCpu, alloc_cpu == mib->AllocCpuId);
    mprof_mib_add_sum(&mib->NumSameDeallocCpu,
                      dealloc_cpu == mib->DeallocCpuId);
    mib->AllocTimestamp = alloc_ms;
    mib->DeallocTimestamp = dealloc_ms;
    mib->AllocCpuId = alloc_cpu;
    mib->DeallocCpuId = dealloc_cpu;
    mprof_mib_add_sum(&mib->TemporaryCount, is_temporary);
    mprof_mib_add_sum(&mib->OtherThreadCount, is_elsewhere);
    if (MPROF_UNLIKELY(is_at_peak)) {
        mprof_mib_add_sum(&mib->PeakCount, 1);
        mprof_mib_add_sum(&mib->PeakBytes, size);
    }
}

/* A MIB of few blocks, in a third of the memory. */
struct mprof_mib_packed {
#define MPROF_MIB_PACKED(name, bits) uint64_t name : bits;
#include "shared/MIBDef.inc"
};
#define MPROF_MIB_PACKED_WORDS 14
_Static_assert(sizeof(struct mprof_mib_packed) == 8 * MPROF_MIB_PACKED_WORDS,
               "no bits for nothing");

/* False where the MIB does not fit. */
bool mprof_mib_pack(struct mprof_mib_packed *packed,
                    const struct mprof_mib *mib);
void mprof_mib_unpack(struct mprof_mib *mib,
                      const struct mprof_mib_packed *packed);

/* The field of mprof_mib_from_block(), by index. */
uint64_t mprof_mib_life_value(const struct mprof_block_life *life,
                              size_t index);

/* Merges two MIBs of one call stack by the rules of MIBDef.inc. Associative and
 * commutative. An MIB with AllocCount == 0 is the neutral element. */
void mprof_mib_merge(struct mprof_mib *into, const struct mprof_mib *from);

/* The field as a number, by index; index < MPROF_MIB_FIELDS. */
uint64_t mprof_mib_get(const struct mprof_mib *mib, size_t index);
void mprof_mib_set(struct mprof_mib *mib, size_t index, uint64_t value);

/* The field that says of how many blocks this one, by index, was measured, by
 * index too; MPROF_MIB_FIELDS: of all. */
size_t mprof_mib_measured_by(size_t index);
/* False where the field, by index, was measured of no block: then it is not
 * known, whatever mprof_mib_get() says. */
bool mprof_mib_is_held(const struct mprof_mib *mib, size_t index);

/* Index of the field with this tag, or MPROF_MIB_FIELDS where we know none. */
size_t mprof_mib_index_of_tag(uint32_t tag);

/* Sets the fields that LLVM's files lack from those that they have. */
void mprof_mib_fill_from_llvm(struct mprof_mib *mib);

/* Accesses to some of the blocks were not counted: of LLVM's thresholds,
 * whatever they are, none shall call the MIB cold, nor the default one hot, as
 * far as that hangs on what was not counted. */
void mprof_mib_keep_from_cold(struct mprof_mib *mib);

/* The value as LLVM's encoding of that field can hold it: saturated. */
uint64_t mprof_mib_llvm_value(const struct mprof_mib *mib, size_t index);

_Static_assert(sizeof(struct mprof_mib) == 8 * MPROF_MIB_FIELDS,
               "every field is one 64-bit word");

#endif
