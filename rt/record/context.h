/* context.h -- what is known of a context's blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_CONTEXT_H
#define MPRT_CONTEXT_H

#include "rt/base/lock.h"
#include "rt/record/cells.h"
#include "rt/record/spread.h"
#include "shared/mib.h"

/* Many contexts see one block only, or few. The one takes 64 bytes; then there
 * are further ones with a packed MIB, and at last with a whole one, which is
 * what busy contexts have. */
#define MPRT_CONTEXT_FEW_BLOCKS 16

struct mprt_mib_entry {
    struct mprof_mib mib;
    struct mprt_cells cells; /* where mib.AccessHistogramSize is not 0; else
                                MPROF_DETAIL_PLACE */
    uint32_t peak;           /* of which mib.PeakCount and PeakBytes are */
    struct mprt_spread spread;
} __attribute__((aligned(64)));

/* The packed MIB's first words lie in the row, the others here. */
#define MPRT_CONTEXT_FEW_WORDS 3
struct mprt_mib_rest {
    uint64_t words[MPROF_MIB_PACKED_WORDS - MPRT_CONTEXT_FEW_WORDS];
};
struct mprt_mib_few {
    struct mprt_mib_rest *rest;
    uint32_t peak; /* as in an entry */
    struct mprt_spread spread;
    uint64_t words[MPRT_CONTEXT_FEW_WORDS];
};

/* Where `entry` is not NULL, nothing else counts. */
struct mprt_context {
    struct mprt_lock lock;
    bool has_only;
    struct mprt_spread_buckets usual; /* where there is a block */
    bool has_few;
    struct mprt_mib_entry *entry;
    union {
        struct mprof_block_life only;
        struct mprt_mib_few few;
    };
};
_Static_assert(sizeof(struct mprt_context) == 64, "a cache line");

static inline bool mprt_context_has_blocks(const struct mprt_context *c)
{
    return c->entry != NULL ? c->entry->mib.AllocCount != 0
                            : c->has_only || c->has_few;
}
/* NULL where there is but one block, of which `usual` tells all. */
static inline const struct mprt_spread *
mprt_context_spread(const struct mprt_context *c)
{
    if (c->entry != NULL)
        return &c->entry->spread;
    return c->has_few ? &c->few.spread : NULL;
}
/* What is recorded of a context without an entry. */
static inline void mprt_context_unpack(const struct mprt_context *c,
                                       struct mprof_mib *mib, uint32_t *peak)
{
    struct mprof_mib_packed packed;
    char *const words = (char *)&packed;

    *peak = c->has_few ? c->few.peak : c->only.peak;
    if (!c->has_few) {
        mprof_mib_from_block(mib, &c->only);
        return;
    }
    __builtin_memcpy(words, c->few.words, sizeof(c->few.words));
    __builtin_memcpy(words + sizeof(c->few.words), c->few.rest,
                     sizeof(*c->few.rest));
    mprof_mib_unpack(mib, &packed);
}
/* The context's MIB, in a snapshot, which knows most at a time
 * (mprt_mibmap_settle()). There is a block. */
static inline void mprt_context_mib(const struct mprt_context *c,
                                    struct mprof_mib *mib)
{
    uint32_t peak;

    if (c->entry != NULL) {
        *mib = c->entry->mib;
        return;
    }
    mprt_context_unpack(c, mib, &peak);
    if (!c->has_few) {
        mib->MeasuredCount = mib->MaxLiveCount = 1;
        mib->MaxLiveBytes = c->only.size;
    }
}
/* A field of it by index. */
static inline uint64_t mprt_context_get(const struct mprt_context *c,
                                        size_t index)
{
    struct mprof_mib mib;

    if (c->entry != NULL)
        return mprof_mib_get(&c->entry->mib, index);
    if (!c->has_few)
        return mprof_mib_life_value(&c->only, index);
    mprt_context_mib(c, &mib);
    return mprof_mib_get(&mib, index);
}
/* Its histogram, to be looked at; cells in it, 0 for none. */
static inline uint64_t mprt_context_cells(const struct mprt_context *c,
                                          struct mprt_cells_reader *reader)
{
    const uint64_t count =
        c->entry != NULL ? c->entry->mib.AccessHistogramSize : 0;

    *reader = (struct mprt_cells_reader){.counts = NULL};
    if (count != 0)
        reader->cells = c->entry->cells;
    return count;
}

#endif
