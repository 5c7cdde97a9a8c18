/* top_list.h -- the call stacks that matter most, and what they are a part of.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TOP_LIST_H
#define MPDATA_TOP_LIST_H

#include "profdata/model/top.h"
#include "profdata/query/metrics.h"

struct mpdata_top_list {
    struct mprof_mib totals; /* of all contexts */
    struct mpdata_run_totals runs;
    bool held[MPDATA_METRIC_COUNT];
    uint64_t context_count; /* of the whole profile */
    uint64_t listed_count;  /* that have something of the metric */
    uint32_t unseen; /* MPROF_CONTEXT_FL_* of any of them that say what was not
                        seen; of a part of a profile only where the totals have
                        no accesses */
    enum mpdata_metric metric;
    uint32_t *rows; /* contexts of the profile, the first of the list */
    uint32_t count;
};

/* The `max` contexts of a canonical profile that have most of a metric, largest
 * first, equal ones in the profile's order, those with nothing of it left out.
 * Where the profile holds no more than the first contexts of a larger one,
 * `whole` says what all of it comes to; else it is NULL. Fini is due either
 * way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_top_list_make(
    struct mpdata_top_list *list, const struct mpdata_profile *profile,
    enum mpdata_metric metric, uint64_t max, const struct mpdata_top *whole);
void mpdata_top_list_fini(struct mpdata_top_list *list);

#endif
