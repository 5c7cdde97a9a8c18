/* rawtree.h -- the call stacks of a raw profile: FRAMES and NODES, and the
 * order of CONTEXTS.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_RAWTREE_H
#define MPRT_RAWTREE_H

#include "rt/dump/dump.h"
#include "shared/container.h"

enum { MPRT_RAWTREE_SECTIONS = 2 };

struct mprt_rawtree {
    uint32_t count;          /* contexts */
    uint32_t *order;         /* their ids, sorted by stack */
    uint32_t *leaves;        /* NODES idx + 1 by place in order */
    bool has_cut;            /* some of their stacks are truncated */
    struct mprof_buf stored; /* the sections' bytes, each aligned */
    struct mprof_section
        sections[MPRT_RAWTREE_SECTIONS]; /* offsets in stored */
    /* What it was made of. */
    uint32_t *ids;    /* NULL where it is not kept */
    uint64_t modules; /* a digest */
};

/* The stacks of all contexts of the snapshot; NULL without memory. Under the
 * dump lock. With continuous=1 it is kept for the next dump, which makes it
 * anew only where there are other contexts or modules: 12 bytes a context, and
 * the sections' bytes. */
const struct mprt_rawtree *mprt_rawtree_get(const struct mprt_dump *dump);
/* When the dump is done; NULL is allowed. */
void mprt_rawtree_release(void);

#endif
