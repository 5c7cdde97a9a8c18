/* context.h -- a context's record: its MIB, histogram and distributions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/lock.h"
#include "rt/record/cells.h"
#include "rt/record/log2_counts.h"
#include "shared/mib.h"

struct mprt_mib_entry {
    struct mprof_mib mib;
    /* histogram if mib.AccessHistogramSize is not 0; otherwise
     * MPROF_DETAIL_PLACE */
    struct mprt_cells cells;
    uint32_t peak; /* the peak of mib.PeakCount and mib.PeakBytes */
    /* accesses=1/N: number of a burst, and the counted accesses of the blocks
     * that ended in it or before the next one */
    uint64_t burst;
    uint64_t burst_sum;
    struct mprt_log2_counts log2_counts;
} __attribute__((aligned(64)));

/* A context's row. Rows are small because a snapshot visits all of them. Only a
 * context with recorded blocks has an entry. */
struct mprt_context {
    struct mprt_lock lock;
    /* valid if there are blocks */
    struct mprt_log2_counts_buckets common_buckets;
    struct mprt_mib_entry *entry;
};
_Static_assert(sizeof(struct mprt_context) == 16, "four in a cache line");

static inline bool mprt_context_has_blocks(const struct mprt_context *c)
{
    return c->entry != NULL && c->entry->mib.AllocCount != 0;
}
/* A field of the context's MIB by index; 0 without blocks. */
static inline uint64_t mprt_context_get(const struct mprt_context *c,
                                        size_t index)
{
    return c->entry != NULL ? mprof_mib_get(&c->entry->mib, index) : 0;
}
/* Initializes a reader of the context's histogram. Returns the number of its
 * cells; 0: no histogram. */
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
/* The same for LLVM's format, which has cells of 8 bytes only. */
static inline uint64_t mprt_context_llvm_cells(const struct mprt_context *c,
                                               struct mprt_cells_reader *reader)
{
    const uint64_t count = mprt_context_cells(c, reader);

    if (!mprt_shadow_has_fields)
        return count;
    *reader = (struct mprt_cells_reader){.counts = NULL};
    return 0;
}
