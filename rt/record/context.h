/* context.h -- what is known of a context's blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_CONTEXT_H
#define MPRT_CONTEXT_H

#include "rt/base/lock.h"
#include "rt/record/cells.h"
#include "rt/record/spread.h"
#include "shared/mib.h"

/* Many contexts see one block only: that takes 64 bytes, and an MIB is made for
 * the second one. */
struct mprt_mib_entry {
    struct mprof_mib mib;
    struct mprt_cells cells; /* where mib.AccessHistogramSize is not 0 */
    uint32_t peak;           /* of which mib.PeakCount and PeakBytes are */
    struct mprt_spread spread;
} __attribute__((aligned(64)));
struct mprt_context {
    struct mprt_lock lock;
    bool has_only;
    struct mprt_spread_buckets usual; /* where there is a block */
    struct mprt_mib_entry
        *entry; /* where it is not NULL, `only` does not count */
    struct mprof_block_life only;
};
_Static_assert(sizeof(struct mprt_context) == 64, "a cache line");

static inline bool mprt_context_has_blocks(const struct mprt_context *c)
{
    return c->entry != NULL ? c->entry->mib.AllocCount != 0 : c->has_only;
}
/* A field of the context's MIB by index; all of it, in a snapshot, which knows
 * most at a time (mprt_mibmap_settle()). There is a block. */
static inline uint64_t mprt_context_get(const struct mprt_context *c,
                                        size_t index)
{
    return c->entry != NULL ? mprof_mib_get(&c->entry->mib, index)
                            : mprof_mib_life_value(&c->only, index);
}
static inline void mprt_context_mib(const struct mprt_context *c,
                                    struct mprof_mib *mib)
{
    if (c->entry != NULL) {
        *mib = c->entry->mib;
    } else {
        mprof_mib_from_block(mib, &c->only);
        mib->MeasuredCount = mib->MaxLiveCount = 1;
        mib->MaxLiveBytes = c->only.size;
    }
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
