/* runs.h -- the runs of a profile, of which there may be a hundred thousand:
 * packed into bytes, some 25 each where a row of numbers would have 144.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_RUNS_H
#define MPDATA_RUNS_H

#include "profdata/model/profile.h"
#include "profdata/base/vec.h"

/* Starts by mpdata_runs_init(). */
struct mpdata_runs {
    struct mpdata_run first; /* of all: the others are what differs from it */
    struct mpdata_vec chunks;
    uint32_t *slots; /* places + 1, by hash; NULL until something is added */
    uint32_t slot_count;
    uint32_t *order; /* places of the rows; NULL: as they were added */
    uint32_t count;
    int spill_fd;      /* of a file that holds chunks; -1: none yet */
    bool has_no_spill; /* nor will have */
};

/* Where a walk stands. Starts zeroed. */
struct mpdata_runs_walk {
    uint32_t chunk;
    uint32_t at;
    uint32_t row;
};

void mpdata_runs_init(struct mpdata_runs *runs);
void mpdata_runs_fini(struct mpdata_runs *runs);

/* Adds run->count to an equal run, or a new one behind the others. False
 * without memory. */
bool mpdata_runs_add(struct mpdata_runs *runs, const struct mpdata_run *run);

/* The next run of a walk; false at the end. Nothing may be added meanwhile. */
bool mpdata_runs_next(const struct mpdata_runs *runs,
                      struct mpdata_runs_walk *walk, struct mpdata_run *run);

/* Turns a run of one profile into that of another. */
typedef struct mpdata_run mpdata_runs_map_fn(const void *context,
                                             const struct mpdata_run *run);

/* Adds all of *from, turned into what they are in *into, which is empty; only
 * equal runs may become equal ones. `emptied` is *from, where it is to be
 * emptied on the way, or NULL. False without memory. */
bool mpdata_runs_copy(struct mpdata_runs *into, const struct mpdata_runs *from,
                      struct mpdata_runs *emptied, mpdata_runs_map_fn *map,
                      const void *context);

/* Walks go in ascending order from now on, until something is added: by id,
 * then by the other columns (shared/index_format.h). False without memory. */
bool mpdata_runs_sort(struct mpdata_runs *runs);

/* The run in a row, quickly where they are sorted; row < runs->count. */
void mpdata_runs_get(const struct mpdata_runs *runs, uint32_t row,
                     struct mpdata_run *run);

/* What the packed runs take, without what only adding needs. */
size_t mpdata_runs_bytes(const struct mpdata_runs *runs);

/* Frees what only adding needs. */
void mpdata_runs_seal(struct mpdata_runs *runs);

#endif
