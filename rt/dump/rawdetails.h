/* rawdetails.h -- details of contexts' blocks in a raw profile: DETAILS.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_RAWDETAILS_H
#define MPRT_RAWDETAILS_H

#include "rt/dump/rawtree.h"
#include "rt/record/snapshot.h"
#include "shared/container.h"

/* Whose. */
struct mprt_rawdetails {
    const struct mprt_snapshot *snapshot;
    const struct mprt_rawtree *tree;
    /* What a row of CONTEXTS is of; are its blocks alive? */
    const struct mprt_context *(*context_at)(const void *from, uint64_t row,
                                             bool *is_live);
    const void *from;
    uint64_t rows; /* of CONTEXTS */
};

/* Appends the section, if there is something in it. False without memory. */
bool mprt_rawdetails_add(const struct mprt_rawdetails *of,
                         struct mprof_buf *out, struct mprof_dir *dir);

#endif
