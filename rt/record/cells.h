/* cells.h -- a context's histogram: a tree with memory only for accessed cells
 * and their neighbours. Call inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/heap/shadow.h"

/* A node has this many counts or children. */
#define MPRT_CELLS_FANOUT_SHIFT 4
#define MPRT_CELLS_FANOUT (1u << MPRT_CELLS_FANOUT_SHIFT)
_Static_assert(MPRT_CELLS_FANOUT == MPRT_SHADOW_CELLS_AT_ONCE,
               "cells that are visited at once are those of one node");

union mprt_cells_node {
    uint64_t counts[MPRT_CELLS_FANOUT];
    union mprt_cells_node *children[MPRT_CELLS_FANOUT]; /* each may be NULL */
};

/* A histogram. Zeroed: no cell was accessed. */
struct mprt_cells {
    /* address of the topmost node + number of levels below it */
    uintptr_t root;
};

/* Memory for nodes, freed all at once. */
struct mprt_cells_pool {
    union mprt_cells_node *nodes;
    _Atomic uint32_t used;
};

/* Reserves address space. False without. */
bool mprt_cells_pool_init(struct mprt_cells_pool *pool);
/* Bytes of the nodes in use. */
size_t mprt_cells_pool_bytes(const struct mprt_cells_pool *pool);

/* Adds to one histogram. */
struct mprt_cells_adder {
    struct mprt_cells_pool *pool;
    struct mprt_cells *cells;
    uint32_t weight; /* number of blocks that each block stands for */
    bool failed;     /* no memory for some cells */
};
/* A mprt_shadow_cells_fn; `to` is the adder. */
void mprt_cells_add_block(void *to, uint64_t first, const uint32_t *counts,
                          unsigned n);
/* Adds another histogram. */
void mprt_cells_add_all(struct mprt_cells_adder *adder,
                        struct mprt_cells cells);

/* Reads cells of one histogram; fast for neighbouring cells. Initialize `cells`
 * only. */
struct mprt_cells_reader {
    struct mprt_cells cells;
    const uint64_t *counts; /* of the cells from `first` on, or NULL */
    uint64_t first;
};
uint64_t mprt_cells_get(struct mprt_cells_reader *reader, uint64_t cell);
/* Finds the first accessed cell from *cell on. Returns its count, or 0 if there
 * is none. */
uint64_t mprt_cells_next(struct mprt_cells_reader *reader, uint64_t *cell);
/* Says once that logs and LLVM's format leave the counters out, if the program
 * counts by 4 bytes. */
void mprt_cells_say_left_out(void);
