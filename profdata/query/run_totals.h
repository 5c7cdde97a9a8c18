/* run_totals.h -- what the runs of a profile come to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_RUN_TOTALS_H
#define MPDATA_RUN_TOTALS_H

#include "profdata/model/profile.h"

/* Of what a process counts from its start on, several dumps of it tell the same
 * again and more: the last one counts; where they do not say which dumps they
 * are, once. All else counts as often as its run does. */
struct mpdata_run_totals {
    uint64_t runs;           /* that were merged; where it is not known which
                                dumps are of one run, dumps */
    uint64_t repeating;      /* dumps that may hold a live block again */
    uint64_t measured_runs;  /* of ours that tell what was live at their end */
    uint64_t foreign_runs;   /* other tools' profiles: no accesses */
    uint64_t foreign_live;   /* of these, that tell what was live */
    uint64_t foreign_only;   /* of these, that tell nothing else */
    uint64_t uncounted;      /* other tools' without numbers of blocks */
    uint64_t uncounted_live; /* without those of live blocks */
    uint64_t unsized;        /* without bytes */
    uint64_t sampled_runs;
    uint64_t sample_period_bytes; /* the longest of them */
    uint64_t duration_ns;         /* of processes */
    uint64_t first_start_ns;
    uint64_t last_start_ns;
    uint64_t resolution_ns; /* of times; the coarsest */
    uint64_t truncated;
    uint64_t dropped;        /* of processes */
    uint64_t foreign_frees;  /* of processes */
    uint64_t other_malloc;   /* runs of programs that have their own */
    uint64_t handler_jumps;  /* of processes */
    uint64_t context_checks; /* of processes */
    uint64_t context_differences;
    uint64_t stack_depth_max;
    uint64_t peak_bytes; /* sum of what was alive at each run's peak */
    uint64_t peak_runs;  /* that measured it */
    uint64_t peak_ns;    /* after the start of the run; of several the latest */
    uint64_t own_time_ns;      /* of processes that timed calls */
    uint64_t timed_calls;      /* of processes */
    uint64_t own_memory_bytes; /* of the process that took most */
    bool is_now; /* what lived is that of dumps behind which runs went on */
};

/* That of the runs that tell what lived. */
bool mpdata_run_totals_are_now(const struct mpdata_view *view);

/* Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_run_totals(const struct mpdata_view *view,
                  struct mpdata_run_totals *totals);

#endif
