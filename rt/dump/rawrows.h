/* rawrows.h -- the rows of a raw profile's CONTEXTS and TAGGED, in the order of
 * the file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/rawtree.h"
#include "rt/record/context.h"

/* A row has a copy of the snapshot's context, because contexts of neighbouring
 * rows lie far from each other in the snapshot, and each pass over the rows
 * would load them again. */
struct mprt_rawrow {
    struct mprt_context context;
    uint32_t id;   /* depot id of the context */
    uint32_t leaf; /* NODES idx + 1 */
    bool is_live;  /* the row describes live blocks */
};

struct mprt_rawrows {
    const struct mprt_snapshot *snapshot;
    const struct mprt_rawtree *tree;
    struct mprt_rawrow *rows; /* rows of CONTEXTS, then of TAGGED */
    uint32_t context_count;
    uint32_t tagged_count;
};

/* Lists the rows of the dump's snapshot. False without memory. Call
 * mprt_rawrows_free() in either case. */
bool mprt_rawrows_init(struct mprt_rawrows *rows, const struct mprt_dump *dump,
                       const struct mprt_rawtree *tree);
void mprt_rawrows_free(struct mprt_rawrows *rows);
