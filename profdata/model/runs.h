/* runs.h -- the runs of a profile: an array of distinct ones, and their sums
 * where there are very many.
 *
 * A run is told by all its members but `count`. Where a profile has more than
 * MPDATA_RUNS_MAX, runs of one executable, host, set of options, tool and kind
 * become one row if they are dumps of one process, or if it is not known which
 * process they are of (LLVM's raw profiles do not say), but for dumps that say
 * which of their run they are. Such a row has run_id 0
 * and the sum of the counts. What adds up, is the sum over the runs, each as
 * often as it counts; what a process counts from its start on, is that of the
 * dump that tells most.
 *
 * Any grouping gives the same: a profile with a row of run_id 0 had too many
 * runs, so all of its runs are added up; and what has too many in a part has
 * too many as a whole. So runs may be added up as soon as there are too many.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_RUNS_H
#define MPDATA_RUNS_H

#include "profdata/base/map.h"
#include "profdata/base/vec.h"
#include "profdata/model/profile.h"

#define MPDATA_RUNS_MAX 4096u

/* Starts by mpdata_runs_init(). */
struct mpdata_runs {
    struct mpdata_vec rows; /* struct mpdata_run */
    struct mpdata_map map;  /* of the rows, or empty: made when it is needed */
    uint32_t add_up_at;     /* so many rows are looked through for equal ones */
};

void mpdata_runs_init(struct mpdata_runs *runs);
void mpdata_runs_fini(struct mpdata_runs *runs);

/* Adds run->count to an equal run, or a new one. False without memory. */
bool mpdata_runs_add(struct mpdata_runs *runs, const struct mpdata_run *run);

/* Brings the rows into the one order and form that depends on nothing but them:
 * adds up what is to be added up; then ascending by id, then by the other
 * columns (shared/index_format.h). */
void mpdata_runs_canonical(struct mpdata_runs *runs);

/* Frees what only adding needs, until something is added. */
void mpdata_runs_seal(struct mpdata_runs *runs);

/* Stands the row for several runs? */
static inline bool mpdata_runs_is_sum(const struct mpdata_run *run)
{
    return run->run_id == 0;
}

#endif
