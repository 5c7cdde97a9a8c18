/* series.h -- runs over time: live bytes by slots of equal length, and the
 * phases and marks that programs named (shared/raw_format.h).
 *
 * A profile keeps the series of MPDATA_SERIES_MAX runs, those with the smallest
 * ids. Ids are random, so the choice is random, too, and any grouping of the
 * same inputs keeps the same series. RUNS has the number of all runs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "shared/base.h"

#define MPDATA_SERIES_MAX 16u
/* Limits of one series; a file with more is refused. */
#define MPDATA_SERIES_SAMPLES_MAX 4096u
#define MPDATA_SERIES_MARKS_MAX 65536u

struct mpdata_sample {
    uint64_t ns;     /* start of the slot, since the start of the run */
    uint64_t bytes;  /* live bytes at the last sample of the slot */
    uint64_t most;   /* most live bytes in the slot */
    uint64_t blocks; /* live blocks at the first sample */
    uint64_t rss;    /* resident bytes at the first sample; 0: unknown */
    uint64_t mapped; /* most bytes that the program mapped, in the slot */
};

struct mpdata_mark {
    uint64_t ns;
    uint64_t bytes; /* live bytes */
    uint32_t kind;  /* enum mprof_raw_mark_kind */
    uint32_t name;  /* mpdata_string; 0: none */
};

struct mpdata_series {
    uint64_t run_id;
    uint64_t step_ns;
    uint64_t until_ns; /* the dump's, since the run's start; 0: unknown */
    uint64_t dropped_marks;
    struct mpdata_sample *samples; /* ascending by ns */
    struct mpdata_mark *marks;
    uint32_t sample_count;
    uint32_t mark_count;
};

/* rows: a vector of struct mpdata_series, which own their arrays. */
void mpdata_series_init(struct mpdata_vec *rows);
void mpdata_series_fini(struct mpdata_vec *rows);
/* Adds a copy if it is among those to keep; of one run the last dump's stays.
 * Rows stay sorted. False when out of memory. */
bool mpdata_series_add(struct mpdata_vec *rows,
                       const struct mpdata_series *series);
