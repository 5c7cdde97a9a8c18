/* source_list.h -- the lines of some functions: what each line allocated
 * itself, and what its callees allocated.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/groups.h"

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
