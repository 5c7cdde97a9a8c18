/* cells.h -- the histogram of a call stack in memory: runs of cells back to
 * back in words, each with its first cell, how many cells it has, and their
 * counts. What lies between runs was not accessed; so a histogram takes memory
 * by what was.
 *
 * A run starts and ends with a cell that was accessed; cells without accesses
 * are in it where no more of them follow each other than a run's own numbers
 * would take. So runs take hardly more room than a number a cell, and equal
 * histograms have equal runs. Text has the same runs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CELLS_H
#define MPDATA_CELLS_H

#include "shared/base.h"

/* Whoever owns the words may change them. */
struct mpdata_cells {
    uint64_t *words; /* NULL: there is no histogram */
    size_t count;    /* of words; 0: a histogram without any access */
};

#define MPDATA_CELLS_NONE ((struct mpdata_cells){.words = NULL})

/* Words in front of a run's counts. */
#define MPDATA_CELLS_HEAD_WORDS 2u

struct mpdata_cells_run {
    uint64_t first; /* cell */
    uint64_t count; /* of cells */
    uint64_t *counts;
};

/* The first run of *cells, which moves on to what follows it; false at the
 * end. */
bool mpdata_cells_next_run(struct mpdata_cells *cells,
                           struct mpdata_cells_run *run);

/* The cells that were accessed, one by one. Starts with the rest alone, in
 * front of the first. */
struct mpdata_cells_cursor {
    struct mpdata_cells rest;
    struct mpdata_cells_run run;
    uint64_t at; /* in the run: what is next */
    uint64_t cell;
    uint64_t count;
};
/* Goes to the next one; false at the end. */
bool mpdata_cells_next(struct mpdata_cells_cursor *cursor);

/* Puts runs together of cells that come in ascending order. Zeroed: none yet.
 * Several histograms may stand behind each other. */
struct mpdata_cells_builder {
    uint64_t *words; /* owned */
    size_t count;
    size_t capacity;
    size_t run;   /* word of the last run's head */
    uint64_t end; /* one past the last run's last cell; 0: no run yet */
    bool failed;  /* no memory */
};

/* Adds a cell behind all others; nothing for a count of 0. */
void mpdata_cells_add(struct mpdata_cells_builder *builder, uint64_t cell,
                      uint64_t count);
/* What comes now is another histogram, which starts at the word that is
 * returned. */
size_t mpdata_cells_begin(struct mpdata_cells_builder *builder);
/* Forgets all cells, but not the memory. */
void mpdata_cells_clear(struct mpdata_cells_builder *builder);
/* The histogram of so many words from `first` on, which may be none. Borrowed.
 */
struct mpdata_cells mpdata_cells_of(uint64_t *words, size_t first,
                                    size_t count);
void mpdata_cells_fini(struct mpdata_cells_builder *builder);

/* Of histograms that are there, with malloc'd words, which the caller frees, or
 * NULL without memory: a copy; the sum of both. */
struct mpdata_cells mpdata_cells_copy(struct mpdata_cells cells);
struct mpdata_cells mpdata_cells_sum(struct mpdata_cells a,
                                     struct mpdata_cells b);
/* Adds the cells of b to those of a, where all of them lie in runs of a; else
 * false, and a is as it was. */
bool mpdata_cells_add_within(struct mpdata_cells a, struct mpdata_cells b);

#endif
