/* groups.h -- sums up a profile by function, line or file: what each allocated
 * itself, and what was allocated below it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/frame_groups.h"
#include "profdata/query/metrics.h"

/* A row; `self` and `total` have one value per metric. */
struct mpdata_group {
    uint32_t frame;  /* one of its frames, for its name */
    uint32_t number; /* number of the group in mpdata_frame_groups */
    uint64_t *self;  /* of call stacks that end in it */
    uint64_t *total; /* of call stacks through it; recursion counts once */
};

struct mpdata_groups {
    struct mpdata_group *rows; /* owned */
    uint32_t count;
    uint64_t *values; /* owned; the rows and without_stack point into it */
    uint64_t *without_stack; /* of empty call stacks */
    size_t metric_count;
    size_t divisor; /* mpdata_metrics_divisor() */
    struct mpdata_frame_groups groups;
};

/* Lists the groups of a canonical profile that have any value: by self of the
 * first metric (mpdata_metrics_rank()), then by total, largest first; equal
 * ones in the order of their frames. The sum of all `self` and without_stack is
 * the metric's sum over the profile. Time and memory are linear in the
 * profile's nodes. Call _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_groups_make(struct mpdata_groups *groups,
                   const struct mpdata_profile *profile, enum mpdata_by by,
                   const enum mpdata_metric *metrics, size_t metric_count);
void mpdata_groups_fini(struct mpdata_groups *groups);
