/* source_list.h -- the lines of some functions: what each allocated itself, and
 * what was allocated by what it called.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SOURCE_LIST_H
#define MPDATA_SOURCE_LIST_H

#include "profdata/query/groups.h"

/* Lines of one function in one file. */
struct mpdata_source_part {
    const struct mpdata_group *function; /* all of it */
    mpdata_ref path;                     /* of the lines; 0: not known */
    uint32_t begin;                      /* its line, 0: not known */
    uint32_t first;                      /* into lines */
    uint32_t count;
};

struct mpdata_source_list {
    struct mpdata_source_part *parts;  /* owned */
    const struct mpdata_group **lines; /* owned; of call.rows */
    uint32_t count;                    /* of parts */
    struct mpdata_groups functions;
    struct mpdata_groups calls;
};

/* is_frame says of each frame of the profile whether its function is wanted.
 * Functions that have most of the first metric by themselves first, then those
 * with most below them; lines ascend. Functions without a known line are a part
 * without lines. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_source_list_make(struct mpdata_source_list *list,
                        const struct mpdata_profile *profile,
                        const bool *is_frame, const enum mpdata_metric *metrics,
                        size_t metric_count);
void mpdata_source_list_fini(struct mpdata_source_list *list);

#endif
