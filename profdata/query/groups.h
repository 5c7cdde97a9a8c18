/* groups.h -- a profile by function, line or file: what each allocated itself,
 * and what was allocated below it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_GROUPS_H
#define MPDATA_GROUPS_H

#include "profdata/query/metrics.h"

enum mpdata_group_by {
    MPDATA_GROUP_BY_FUNCTION, /* code of no known function: by address */
    MPDATA_GROUP_BY_LINE,     /* of a source file; without one by function */
    MPDATA_GROUP_BY_FILE      /* without one by function, or by binary */
};

struct mpdata_group {
    uint32_t frame; /* one of its frames, which has its name */
    uint64_t self;  /* in call stacks that end in it */
    uint64_t total; /* in those that go through it; recursion counts once */
};

struct mpdata_groups {
    struct mpdata_group *rows; /* owned */
    uint32_t count;
    uint64_t stackless; /* in contexts without a call stack */
};

/* All groups that have something of a metric, those that have most by
 * themselves first, then those with most below them, equal ones in the order of
 * their frames. The sum of `self` and `stackless` is the metric's sum over the
 * profile. Time and memory grow with the frames of all call stacks. Fini is due
 * either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_groups_make(struct mpdata_groups *groups,
                   const struct mpdata_profile *profile,
                   enum mpdata_group_by by, enum mpdata_metric metric);
void mpdata_groups_fini(struct mpdata_groups *groups);

#endif
