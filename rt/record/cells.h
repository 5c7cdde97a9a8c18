/* cells.h -- a context's histogram: a tree that has memory for cells that were
 * accessed, and those near them. Inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_CELLS_H
#define MPRT_CELLS_H

#include "rt/heap/shadow.h"

/* Of so many cells, or so many nodes further down. */
#define MPRT_CELLS_FANOUT_SHIFT 4
#define MPRT_CELLS_FANOUT (1u << MPRT_CELLS_FANOUT_SHIFT)
_Static_assert(MPRT_CELLS_FANOUT == MPRT_SHADOW_CELLS_AT_ONCE,
               "cells that are visited at once are those of one node");

union mprt_cells_node {
    uint64_t counts[MPRT_CELLS_FANOUT];
    union mprt_cells_node *children[MPRT_CELLS_FANOUT]; /* or NULL */
};

/* Zeroed: no cell was accessed. */
struct mprt_cells {
    uintptr_t root; /* the topmost node, and how many lie below each other */
};

/* Where nodes come from. They are given back all at once. */
struct mprt_cells_pool {
    union mprt_cells_node *nodes;
    _Atomic uint32_t used;
};

/* Reserves address space; false without. */
bool mprt_cells_pool_init(struct mprt_cells_pool *pool);
/* Bytes of nodes that were taken. */
size_t mprt_cells_pool_bytes(const struct mprt_cells_pool *pool);

/* Adds to the cells of one histogram. */
struct mprt_cells_adder {
    struct mprt_cells_pool *pool;
    struct mprt_cells *cells;
    uint32_t weight; /* blocks that each one stands for */
    bool failed;     /* no memory for some cells */
};
/* A mprt_shadow_cells_fn: `to` is the adder. */
void mprt_cells_add_block(void *to, uint64_t first, const uint32_t *counts,
                          unsigned n);
/* Adds all of the other histogram. */
void mprt_cells_add_all(struct mprt_cells_adder *adder,
                        struct mprt_cells cells);

/* Looks at cells of one histogram, near ones quickly after each other. Start
 * with cells. */
struct mprt_cells_reader {
    struct mprt_cells cells;
    const uint64_t *counts; /* of the cells from `first` on; or NULL */
    uint64_t first;
};
uint64_t mprt_cells_get(struct mprt_cells_reader *reader, uint64_t cell);
/* The first cell from *cell on that was accessed: its count, or 0 where there
 * is none. */
uint64_t mprt_cells_next(struct mprt_cells_reader *reader, uint64_t *cell);

#endif
