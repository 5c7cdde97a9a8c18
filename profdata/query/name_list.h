/* name_list.h -- sums up a profile by the type of the allocated objects, by the
 * name of the allocating thread, or by pool.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_NAME_LIST_H
#define MPDATA_NAME_LIST_H

#include "profdata/query/metrics.h"

struct mpdata_name_row {
    mpdata_string name; /* 0: unknown */
    uint64_t *values;   /* one per metric */
};

struct mpdata_name_list {
    struct mpdata_name_row *rows; /* owned */
    uint64_t *values;             /* owned; rows point into it */
    uint32_t count;
    uint32_t known; /* rows with a name */
    size_t divisor; /* mpdata_metrics_divisor() */
};

/* List all types or threads that have any value, sorted by the first metric
 * (mpdata_metrics_rank()), largest first. The sum of all rows is that of the
 * profile. Call _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_name_list_types(struct mpdata_name_list *list,
                       const struct mpdata_profile *profile,
                       const enum mpdata_metric *metrics, size_t metric_count);
MPROF_NODISCARD enum mprof_err mpdata_name_list_threads(
    struct mpdata_name_list *list, const struct mpdata_profile *profile,
    const enum mpdata_metric *metrics, size_t metric_count);
/* Lists pools, of a profile made by mpdata_prune_to_tagged(). */
MPROF_NODISCARD enum mprof_err
mpdata_name_list_pools(struct mpdata_name_list *list,
                       const struct mpdata_profile *profile,
                       const enum mpdata_metric *metrics, size_t metric_count);
void mpdata_name_list_fini(struct mpdata_name_list *list);

#endif
