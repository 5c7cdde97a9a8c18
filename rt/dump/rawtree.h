/* rawtree.h -- the call stacks of a raw profile: FRAMES, NODES, and the order
 * of CONTEXTS.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/dump.h"
#include "shared/container.h"

enum { MPRT_RAWTREE_SECTIONS = 2 };

/* A frame of an interpreted function. */
struct mprt_script_frame {
    uintptr_t pc;
    uint32_t frame; /* FRAMES idx */
};

struct mprt_rawtree {
    uint32_t count;          /* number of contexts */
    uint32_t *order;         /* depot ids, sorted by call stack */
    uint32_t *leaves;        /* NODES idx + 1, in the same order */
    bool has_cut;            /* some call stacks are truncated */
    struct mprof_buf script; /* of struct mprt_script_frame, by FRAMES idx */
    struct mprof_buf stored; /* the sections' bytes, each aligned */
    struct mprof_section
        sections[MPRT_RAWTREE_SECTIONS]; /* offsets in stored */
    /* Inputs of the tree, to compare with the next dump's. */
    uint32_t *ids;    /* NULL: the tree is not kept */
    uint64_t modules; /* a checksum */
};

/* The call stacks of all contexts of the snapshot; NULL without memory. Under
 * the dump lock. With continuous=1 the tree is kept, and made again only if a
 * later dump has other contexts or binaries. It takes 12 bytes per context and
 * the sections' bytes. */
const struct mprt_rawtree *mprt_rawtree_get(const struct mprt_dump *dump);
/* Call when the dump is done; NULL tree is allowed. */
void mprt_rawtree_release(void);
