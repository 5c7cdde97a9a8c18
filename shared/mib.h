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
    uint32_t peak;        /* the last one that saw it alive, or 0: none */
    uint64_t grown_bytes; /* by realloc, which replaced it by a larger one */
    bool is_replaced;     /* by realloc, whatever the sizes */
    bool is_live;         /* seen by a dump, not freed */
    bool is_saturated;    /* a histogram cell stood at its maximum */
    bool is_temporary;    /* freed before its thread's next allocation */
    bool is_elsewhere;    /* freed by another thread */
    bool is_unseen;       /* accesses to it were not counted */
};

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

/* Adds a block that was sampled and stands for `weight` blocks, of which the
 * chance to be sampled is the reciprocal, on average; else as
 * mprof_mib_add_life(). A sum of such blocks is an estimate without bias, and
 * the sum of weight * (weight - 1) * value^2 an unbiased estimate of its
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

/* The MIB of one block. Formulas that no field of this one takes cost nothing.
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

/* Adds the MIB of one block, which stands for `weight` blocks, to one that is
 * not empty, by the column `add` of MIBDef.inc. */
__attribute__((always_inline)) static inline void
mprof_mib_add_next(struct mprof_mib *last, const struct mprof_mib *next,
                   uint64_t weight)
{
#define MPROF_MIB_PAIR(name, formula) const uint64_t name = (formula);
#include "shared/MIBDef.inc"

#define MPROF_MIB_ADD_SUM(name) mprof_mib_add_sum(&last->name, next->name);
#define MPROF_MIB_ADD_MIN(name)                  \
    if (MPROF_UNLIKELY(next->name < last->name)) \
        last->name = next->name;
#define MPROF_MIB_ADD_MAX(name)                  \
    if (MPROF_UNLIKELY(next->name > last->name)) \
        last->name = next->name;
#define MPROF_MIB_ADD_NONE(name)
#define MPROF_MIB_NEXT_SAME(merge, name, value) MPROF_MIB_ADD_##merge(name)
#define MPROF_MIB_NEXT_RARE(merge, name, value) \
    if (MPROF_UNLIKELY(next->name != 0))        \
    MPROF_MIB_ADD_##merge(name)
#define MPROF_MIB_NEXT_LAST(merge, name, value) last->name = next->name;
#define MPROF_MIB_NEXT_PAIR(merge, name, value) \
    mprof_mib_add_sum(&last->name, (value)*weight);
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    MPROF_MIB_NEXT_##add(merge, name, formula)
#include "shared/MIBDef.inc"
}

/* Adds a later block of the same call stack in the running program: like
 * mprof_mib_merge() of mprof_mib_from_block(), but counts overlaps and equal
 * CPUs against the block that was recorded before, and keeps times and CPUs of
 * the new one, as LLVM's runtime does. mib->AllocCount == 0 means "nothing
 * recorded yet". */
__attribute__((always_inline)) static inline void
mprof_mib_add_life(struct mprof_mib *mib, const struct mprof_block_life *life)
{
    if (MPROF_UNLIKELY(mib->AllocCount == 0)) {
        const struct mprof_block_life first = *life; /* leaves the others' in
                                                        registers */
        mprof_mib_from_block(mib, &first);
        return;
    }
    const struct mprof_mib block = mprof_mib_of(life);
    mprof_mib_add_next(mib, &block, 1);
}

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
