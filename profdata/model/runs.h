/* runs.h -- the runs of a profile: an array of distinct runs, which are summed
 * if there are very many.
 *
 * Runs are equal if all members but `count` are. If a profile has more than
 * MPDATA_RUNS_MAX, runs with the same executable, host, options, tool and kind
 * become one row, provided that they are dumps of one process, or that their
 * process is unknown (as in LLVM's raw profiles). Dumps with a dump number stay
 * single. A summed row has run_id 0 and the sum of the counts. Additive members
 * are summed, each run as often as it counts; members that a process counts
 * from its start are those of the dump with the most.
 *
 * Any grouping of the inputs gives the same result: a profile with a row of
 * run_id 0 had too many runs, so all its runs are summed; and if a part has too
 * many, the whole has. So runs may be summed as soon as there are too many.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/map.h"
#include "profdata/base/vec.h"
#include "profdata/model/profile.h"

#define MPDATA_RUNS_MAX 4096u

/* Initialise with mpdata_runs_init(). */
struct mpdata_runs {
    struct mpdata_vec rows; /* struct mpdata_run */
    struct mpdata_map map;  /* of the rows; empty until needed */
    uint32_t add_up_at;     /* number of rows at which runs are summed */
};

void mpdata_runs_init(struct mpdata_runs *runs);
void mpdata_runs_fini(struct mpdata_runs *runs);

/* Adds run->count to an equal run, or a new run. False without memory. */
bool mpdata_runs_add(struct mpdata_runs *runs, const struct mpdata_run *run);

/* Brings the rows into canonical form: sums runs if there are too many; then
 * sorts by id, then by the other columns (shared/index_format.h). */
void mpdata_runs_canonical(struct mpdata_runs *runs);

/* Frees the index until the next addition. */
void mpdata_runs_seal(struct mpdata_runs *runs);

/* Orders runs by their most resident memory. Negative, 0 or positive. */
int mpdata_runs_compare_resident(const struct mpdata_run *a,
                                 const struct mpdata_run *b);

/* Is the row a sum of several runs? */
static inline bool mpdata_runs_is_sum(const struct mpdata_run *run)
{
    return run->run_id == 0;
}
