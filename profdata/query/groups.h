/* groups.h -- a profile by function, line or file: what each allocated itself,
 * and what was allocated below it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_GROUPS_H
#define MPDATA_GROUPS_H

#include "profdata/query/frame_groups.h"
#include "profdata/query/metrics.h"

/* Values: one for each metric that was asked for. */
struct mpdata_group {
    uint32_t frame;  /* one of its frames, which has its name */
    uint32_t number; /* as in groups */
    uint64_t *self;  /* in call stacks that end in it */
    uint64_t *total; /* in those that go through it; recursion counts once */
};

struct mpdata_groups {
    struct mpdata_group *rows; /* owned */
    uint32_t count;
    uint64_t *values; /* owned: what the others point to */
    uint64_t
        *without_stack; /* what call stacks have of which nothing is known */
    size_t metric_count;
    struct mpdata_frame_groups groups;
};

/* Of a canonical profile all groups that have something of a metric, those that
 * have most of the first by themselves first, then those with most below them,
 * equal ones in the order of their frames. The sum of `self` and without_stack
 * is the metric's sum over the profile. Time and memory grow with the nodes of
 * the profile. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_groups_make(struct mpdata_groups *groups,
                   const struct mpdata_profile *profile,
                   enum mpdata_group_by by, const enum mpdata_metric *metrics,
                   size_t metric_count);
void mpdata_groups_fini(struct mpdata_groups *groups);

#endif
