/* top_list.h -- the call stacks with the largest values of a metric, and the
 * sums of the profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/metrics.h"

struct mpdata_top_list {
    struct mprof_mib totals; /* of all contexts */
    struct mpdata_run_totals runs;
    bool held[MPDATA_METRIC_COUNT];
    uint64_t context_count; /* number of contexts of the profile */
    uint64_t listed_count;  /* contexts with a value of the metric */
    /* Flags in MPROF_CONTEXT_UNSEEN_MASK that any context has. */
    uint32_t unseen;
    enum mpdata_metric metric;
    uint32_t *rows; /* owned: indexes of contexts, the first of the ranking */
    uint32_t count;
};

/* Lists the `max` contexts of a canonical profile with the largest values of a
 * metric (of lifetimes, of a block on average); equal ones in the profile's
 * order; without contexts whose value is 0. Call _fini() even after a failure.
 * Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_top_list_make(struct mpdata_top_list *list,
                     const struct mpdata_profile *profile,
                     enum mpdata_metric metric, uint64_t max);
void mpdata_top_list_fini(struct mpdata_top_list *list);
