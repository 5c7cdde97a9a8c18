/* lists.h -- the rows of tables.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/frames.h"
#include "profdata/query/metrics.h"
#include "profdata/query/by.h"
#include "profdata/model/profile.h"
#include "shared/tag_format.h"

/* groups.c -- sums up a profile by function, line or file: what each allocated
 * itself, and what was allocated below it. */

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

/* name_list.c -- sums up a profile by the type of the allocated objects, by the
 * name of the allocating thread, or by pool. */

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

/* source_list.c -- the lines of some functions: what each line allocated
 * itself, and what its callees allocated. */

/* Lines of one function in one file. */
struct mpdata_source_part {
    const struct mpdata_group *function; /* values of the whole function */
    mpdata_ref path;                     /* file of the lines; 0: unknown */
    uint32_t begin; /* first line of the function; 0: unknown */
    uint32_t first; /* index into mpdata_source_list.lines */
    uint32_t count;
};

struct mpdata_source_list {
    struct mpdata_source_part *parts;  /* owned */
    const struct mpdata_group **lines; /* owned; point into calls.rows */
    uint32_t count;                    /* number of parts */
    struct mpdata_groups functions;
    struct mpdata_groups calls;
};

/* Lists the functions for whose frames is_frame[] is true: by self of the first
 * metric, then by total, largest first; lines ascend. A function without known
 * lines is a part without lines. Call _fini() even after a failure. Error:
 * NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_source_list_make(struct mpdata_source_list *list,
                        const struct mpdata_profile *profile,
                        const bool *is_frame, const enum mpdata_metric *metrics,
                        size_t metric_count);
void mpdata_source_list_fini(struct mpdata_source_list *list);

/* top_list.c -- the call stacks with the largest values of a metric, and the
 * sums of the profile. */

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
