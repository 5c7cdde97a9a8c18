/* name_list.h -- a profile by the type of object that is allocated, by the name
 * of the thread that allocates, or of the pool.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_NAME_LIST_H
#define MPDATA_NAME_LIST_H

#include "profdata/query/metrics.h"

struct mpdata_name_row {
    mpdata_string name; /* 0: what no name is known of */
    uint64_t *values;   /* one for each metric that was asked for */
};

struct mpdata_name_list {
    struct mpdata_name_row *rows; /* owned */
    uint64_t *values;             /* owned: what rows point to */
    uint32_t count;
    uint32_t known; /* rows with a name */
};

/* Types, or threads, of which there is something, those that have most of the
 * first metric first. The sum of all rows is the profile's. Fini is due either
 * way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_name_list_types(struct mpdata_name_list *list,
                       const struct mpdata_profile *profile,
                       const enum mpdata_metric *metrics, size_t metric_count);
MPROF_NODISCARD enum mprof_err mpdata_name_list_threads(
    struct mpdata_name_list *list, const struct mpdata_profile *profile,
    const enum mpdata_metric *metrics, size_t metric_count);
/* The same of pools, in a profile of theirs (mpdata_prune_to_parts()). */
MPROF_NODISCARD enum mprof_err
mpdata_name_list_pools(struct mpdata_name_list *list,
                       const struct mpdata_profile *profile,
                       const enum mpdata_metric *metrics, size_t metric_count);
void mpdata_name_list_fini(struct mpdata_name_list *list);

#endif
