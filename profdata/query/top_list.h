/* top_list.h -- the call stacks that matter most, and what they are a part of.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TOP_LIST_H
#define MPDATA_TOP_LIST_H

#include "profdata/query/metrics.h"

struct mpdata_top_list {
    struct mprof_mib totals; /* of all contexts */
    struct mpdata_run_totals runs;
    bool held[MPDATA_METRIC_COUNT];
    uint64_t context_count; /* of the profile */
    uint64_t listed_count;  /* that have something of the metric */
    uint32_t unseen; /* MPROF_CONTEXT_FL_* of any of them that say what was not
                        seen */
    enum mpdata_metric metric;
    uint32_t *rows; /* contexts of the profile, the first of the list */
    uint32_t count;
};

/* The `max` contexts of a canonical profile that have most of a metric, largest
 * first, equal ones in the profile's order, those with nothing of it left out.
 * Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_top_list_make(struct mpdata_top_list *list,
                     const struct mpdata_profile *profile,
                     enum mpdata_metric metric, uint64_t max);
void mpdata_top_list_fini(struct mpdata_top_list *list);

#endif
