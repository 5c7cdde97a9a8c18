/* cells.h -- the histogram of a call stack in memory: runs of cells back to
 * back in words. Each run has its first cell, its number of cells, and their
 * counts. Cells between runs were not accessed, so the memory depends on the
 * accessed cells only.
 *
 * A run starts and ends with an accessed cell. Cells without accesses are
 * inside a run if at most as many follow each other as a run's head has words.
 * So a histogram takes hardly more than a word per accessed cell, and equal
 * histograms have equal runs. JSON has the same runs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* The owner of the words may change them. */
struct mpdata_cells {
    uint64_t *words; /* NULL: no histogram */
    size_t count;    /* of words; 0: a histogram without any access */
};

#define MPDATA_CELLS_NONE ((struct mpdata_cells){.words = NULL})

/* Words before a run's counts. */
#define MPDATA_CELLS_HEAD_WORDS 2u

struct mpdata_cells_run {
    uint64_t first; /* cell */
    uint64_t count; /* of cells */
    uint64_t *counts;
};

/* Takes the first run off *cells; false at the end. */
bool mpdata_cells_next_run(struct mpdata_cells *cells,
                           struct mpdata_cells_run *run);

/* Writes the histogram, each run of cells as [first cell, COUNT, ...]. With
 * unit_cells, as cells of 8 bytes. */
struct mpdata_json_out;
void mpdata_cells_json(struct mpdata_json_out *json, struct mpdata_cells cells,
                       unsigned unit_cells);

/* Iterates over accessed cells. Initialise with only `rest`, and unit_cells if
 * so many cells are for each 4 bytes (shared/raw_format.h): then the cursor
 * yields the accesses whose first byte is in each 8 bytes. */
struct mpdata_cells_cursor {
    struct mpdata_cells rest;
    unsigned unit_cells;
    struct mpdata_cells_run run;
    uint64_t at; /* next index in the run */
    uint64_t cell;
    uint64_t count;
};
/* Moves to the next accessed cell; false at the end. */
bool mpdata_cells_next(struct mpdata_cells_cursor *cursor);

/* Builds runs from cells in ascending order. Starts zeroed. May hold several
 * histograms, one after the other. */
struct mpdata_cells_builder {
    uint64_t *words; /* owned */
    size_t count;
    size_t capacity;
    size_t run;   /* index of the last run's head */
    uint64_t end; /* one past the last run's last cell; 0: no run yet */
    bool failed;  /* out of memory */
};

/* Appends a cell; ignores a count of 0. */
void mpdata_cells_add(struct mpdata_cells_builder *builder, uint64_t cell,
                      uint64_t count);
/* Begins another histogram; returns the index of its first word. */
size_t mpdata_cells_begin(struct mpdata_cells_builder *builder);
/* Forgets all cells, but not the memory. */
void mpdata_cells_clear(struct mpdata_cells_builder *builder);
/* The histogram of `count` words from `first` on, maybe 0. Borrows. */
struct mpdata_cells mpdata_cells_of(uint64_t *words, size_t first,
                                    size_t count);
void mpdata_cells_fini(struct mpdata_cells_builder *builder);

/* A copy; the sum of both. The caller frees the malloc'd words; NULL when out
 * of memory. The arguments must have words. */
struct mpdata_cells mpdata_cells_copy(struct mpdata_cells cells);
struct mpdata_cells mpdata_cells_sum(struct mpdata_cells a,
                                     struct mpdata_cells b);
/* Adds b to a if all cells of b are in runs of a; else false, a unchanged. */
bool mpdata_cells_add_within(struct mpdata_cells a, struct mpdata_cells b);
