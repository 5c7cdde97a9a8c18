/* name_list.h -- sums up a profile by the type of the allocated objects, by the
 * name of the allocating thread, or by pool.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/by.h"
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

/* Lists all types, threads or pools that have any value, sorted by the first
 * metric (mpdata_metrics_rank()), largest first. The sum of all rows is that of
 * the profile; for pools it must be one of mpdata_prune_to_tagged(). Call
 * _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_name_list_make(struct mpdata_name_list *list,
                      const struct mpdata_profile *profile, enum mpdata_by by,
                      const enum mpdata_metric *metrics, size_t metric_count);
void mpdata_name_list_fini(struct mpdata_name_list *list);
