/* type_list.h -- a profile by the type of object that is allocated.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TYPE_LIST_H
#define MPDATA_TYPE_LIST_H

#include "profdata/query/metrics.h"

struct mpdata_type_row {
    mpdata_string type; /* 0: call stacks of which no type is known */
    uint64_t *values;   /* one for each metric that was asked for */
};

struct mpdata_type_list {
    struct mpdata_type_row *rows; /* owned */
    uint64_t *values;             /* owned: what rows point to */
    uint32_t count;
    uint32_t known; /* rows with a type */
};

/* Types of which there is something, those that have most of the first metric
 * first. The sum of all rows is the profile's. Fini is due either way. Error:
 * NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_type_list_make(struct mpdata_type_list *list,
                      const struct mpdata_profile *profile,
                      const enum mpdata_metric *metrics, size_t metric_count);
void mpdata_type_list_fini(struct mpdata_type_list *list);

#endif
