/* mib.h -- the memory info block (MIB): statistics of all blocks that one call
 * stack allocated. Structs and functions expand from MIBDef.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

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

/* Index of a field in mprof_mib_fields[], and of its value in struct mprof_mib
 * taken as an array of uint64_t. */
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

/* Facts about one block, which the runtime collects when the block is freed or
 * a dump includes it. Times count from the start of the run. */
struct mprof_block_life {
    uint64_t size;         /* requested bytes */
    uint64_t access_count; /* loads, stores and words of ranges */
    uint64_t alloc_ns;
    uint64_t dealloc_ns; /* time of the dump for a live block */
    uint16_t alloc_cpu;
    uint16_t dealloc_cpu;
    uint32_t peak;        /* number of the run's last peak, if the block was
                             alive then; 0 otherwise */
    uint64_t grown_bytes; /* realloc replaced it by a block larger by this */
    bool is_replaced;     /* realloc replaced it by another block */
    bool is_live;         /* included by a dump, not freed */
    bool is_saturated;    /* a histogram cell reached its maximum */
    bool is_temporary;    /* freed before its thread's next allocation */
    bool is_elsewhere;    /* freed by another thread */
    bool is_unseen;       /* some accesses were not counted */
    bool has_no_burst;    /* lived through no burst of counting */
};

/* Reads and writes of one block, if the program counts them separately, or
 * which threads accessed it. */
struct mprof_block_rw {
    uint64_t reads;
    uint64_t writes;
    uint64_t read_bytes;
    uint64_t write_bytes;
    uint64_t transfers; /* of its cache lines between threads */
    uint64_t false_transfers;
    uint8_t owner;    /* of a small block: see rt/heap/transfers.h */
    bool is_handed;   /* see HandedCount */
    bool has_threads; /* these are known, and nothing else */
    bool is_measured; /* every counted access is known as a read or a write */
    bool has_bytes;   /* ... and its bytes are counted */
};

/* Adds the reads and writes of a block to the MIB of its call stack. The block
 * represents `weight` blocks (1 without sampling). */
void mprof_mib_add_rw(struct mprof_mib *mib, const struct mprof_block_rw *rw,
                      uint32_t weight);

/* The MIB of one block, by the formulas of MIBDef.inc, which are LLVM's. */
void mprof_mib_from_block(struct mprof_mib *mib,
                          const struct mprof_block_life *life);

/* Like mprof_mib_add_life(), for a sampled block that represents `weight`
 * blocks. The probability p of sampling it is on average 1 / weight.
 *
 * The sum of weight * value is an unbiased estimate of the sum over all blocks.
 * The sum of weight * (weight - 1) * value^2 is an unbiased estimate of its
 * variance: one block contributes value^2 / p - value^2 to the variance, and is
 * sampled with probability p. */
void mprof_mib_add_sampled(struct mprof_mib *mib,
                           const struct mprof_block_life *life,
                           uint32_t weight);

/* Adds to the variances of the accesses what counting in bursts contributes: a
 * block whose counted accesses, 1/period of all, were `counted`, in a burst
 * that counted *sum accesses to other blocks of the call stack. The sum of
 * period * (period - 1) * x^2, over bursts that counted x, is an unbiased
 * estimate of the variance. */
void mprof_mib_add_bursts(struct mprof_mib *mib, uint64_t counted,
                          uint64_t *sum, uint32_t period);

/* Largest number whose square is at most n. */
uint64_t mprof_mib_root(uint64_t n);

/* Adds the variance of accesses to other blocks, whose sum of x^2 is `squares`.
 * The root of a sum of (x + y)^2 is at most the sum of the roots for x and y.
 */
void mprof_mib_join_bursts(struct mprof_mib *mib, uint64_t squares,
                           uint32_t period);
/* Moves the variance to the MIB of other blocks of the call stack. */
void mprof_mib_move_bursts(struct mprof_mib *to, struct mprof_mib *from);

#define MPROF_NS_PER_MS 1000000u

/* Saturating addition. The empty asm keeps a branch, which is predicted well,
 * instead of a conditional move. */
static inline void mprof_mib_add_sum(uint64_t *sum, uint64_t n)
{
    if (MPROF_UNLIKELY(__builtin_add_overflow(*sum, n, sum))) {
        __asm__("");
        *sum = UINT64_MAX;
    }
}

/* a / b. A division of 32 bits takes at most half the time of one of 64. */
static inline uint64_t mprof_mib_divide(uint64_t a, uint64_t b)
{
    return MPROF_LIKELY((a | b) >> 32 == 0) ? (uint32_t)a / (uint32_t)b : a / b;
}
/* a / max(b, 1), fast if b is 0 or 1. */
static inline uint64_t mprof_mib_divide_rarely(uint64_t a, uint64_t b)
{
    return MPROF_UNLIKELY(b > 1) ? mprof_mib_divide(a, b) : a;
}

/* The MIB of one block. The compiler drops values that the caller does not use.
 */
__attribute__((always_inline)) static inline struct mprof_mib
mprof_mib_of(const struct mprof_block_life *life)
{
#define MPROF_MIB_VALUE(name, formula) \
    const uint64_t name __attribute__((unused)) = (formula);
#include "shared/MIBDef.inc"

    return (struct mprof_mib){
#define MPROF_MIB_OWN_SAME(value) value
#define MPROF_MIB_OWN_RARE(value) value
#define MPROF_MIB_OWN_LAST(value) value
#define MPROF_MIB_OWN_PAIR(value) 0
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    .name = MPROF_MIB_OWN_##add(formula),
#include "shared/MIBDef.inc"
    };
}

#define MPROF_MIB_ADD_SUM(sum, n) mprof_mib_add_sum(&(sum), n);
#define MPROF_MIB_ADD_MIN(min, n)    \
    if (MPROF_UNLIKELY((n) < (min))) \
        (min) = (n);
#define MPROF_MIB_ADD_MAX(max, n)    \
    if (MPROF_UNLIKELY((n) > (max))) \
        (max) = (n);
#define MPROF_MIB_ADD_NONE(to, n)

/* Adds a block of the running program to the MIB `last` of its call stack, by
 * the column `add` of MIBDef.inc. Differs from merging with
 * mprof_mib_from_block() as LLVM's runtime does: counts overlaps and equal CPUs
 * against the block recorded before, and keeps times and CPUs of the new block.
 * An MIB with AllocCount == 0 is empty. */
__attribute__((always_inline)) static inline void
mprof_mib_add_life(struct mprof_mib *last, const struct mprof_block_life *life)
{
    if (MPROF_UNLIKELY(last->AllocCount == 0)) {
        /* Copy, so that *life can stay in registers on the other path. */
        const struct mprof_block_life first = *life;
        mprof_mib_from_block(last, &first);
        return;
    }
#define MPROF_MIB_VALUE(name, formula) const uint64_t name = (formula);
#define MPROF_MIB_PAIR(name, formula) const uint64_t name = (formula);
#define MPROF_MIB_NEXT_SAME(merge, name, value) \
    MPROF_MIB_ADD_##merge(last->name, value)
#define MPROF_MIB_NEXT_RARE(merge, name, value) \
    if (MPROF_UNLIKELY((value) != 0))           \
    MPROF_MIB_ADD_##merge(last->name, value)
#define MPROF_MIB_NEXT_LAST(merge, name, value) last->name = (value);
#define MPROF_MIB_NEXT_PAIR(merge, name, value) last->name += (value);
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    MPROF_MIB_NEXT_##add(merge, name, formula)
#include "shared/MIBDef.inc"
}

/* Merges `from` into `into`, two MIBs of one call stack, by the column `merge`
 * of MIBDef.inc. Associative and commutative; an MIB with AllocCount == 0 is
 * the neutral element. */
void mprof_mib_merge(struct mprof_mib *into, const struct mprof_mib *from);

/* Reads or sets a field by index (enum mprof_mib_index). */
uint64_t mprof_mib_get(const struct mprof_mib *mib, size_t index);
void mprof_mib_set(struct mprof_mib *mib, size_t index, uint64_t value);

/* Some fields are measured for a part of the blocks only, and another field
 * holds their number. Returns the index of this other field, or
 * MPROF_MIB_FIELDS if the field `index` is measured for all blocks. */
size_t mprof_mib_measured_by(size_t index);
/* False if the field `index` was measured for no block. Its value is unknown
 * then, and mprof_mib_get() returns 0. */
bool mprof_mib_is_held(const struct mprof_mib *mib, size_t index);

/* Index of the field with this tag, or MPROF_MIB_FIELDS if there is none. */
size_t mprof_mib_index_of_tag(uint32_t tag);

/* Computes the fields that LLVM's files lack from the fields that they have. */
void mprof_mib_fill_from_llvm(struct mprof_mib *mib);

/* For a MIB with uncounted accesses, which LLVM must not take for cold. Raises
 * TotalLifetimeAccessDensity to LLVM's default threshold of hot: above any
 * threshold of cold, but not hot by default. */
void mprof_mib_keep_from_cold(struct mprof_mib *mib);

/* The value of a field, saturated to the width of LLVM's encoding. */
uint64_t mprof_mib_llvm_value(const struct mprof_mib *mib, size_t index);

_Static_assert(sizeof(struct mprof_mib) == 8 * MPROF_MIB_FIELDS,
               "every field is one 64-bit word");
