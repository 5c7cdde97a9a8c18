/* run_totals.h -- sums over the runs of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* Members marked "per process" count from the start of a process, so later
 * dumps include earlier ones: only the largest value of each process is added.
 * If the dumps have no number, they count once. All other members are sums over
 * the runs, with their weight. */
struct mpdata_run_totals {
    uint64_t runs;      /* merged runs; dumps if the run of a dump is unknown */
    uint64_t repeating; /* dumps that may repeat live blocks of others */
    uint64_t measured_runs;  /* of our runtime, so live blocks are known */
    uint64_t foreign_runs;   /* of other tools: mostly no accesses */
    uint64_t foreign_live;   /* of these, with live blocks */
    uint64_t foreign_only;   /* of these, with live blocks only */
    uint64_t uncounted;      /* of other tools, without numbers of blocks */
    uint64_t uncounted_live; /* without numbers of live blocks */
    uint64_t unsized;        /* without bytes */
    uint64_t unlived_runs;   /* without lifetimes */
    uint64_t unlived_ns;     /* duration of these */
    uint64_t untimed_runs;   /* with lifetimes, but without a duration */
    uint64_t sampled_runs;
    uint64_t sample_period_bytes; /* the longest */
    uint64_t burst_runs;          /* runs that counted accesses in bursts */
    uint64_t access_period;       /* the longest of these */
    uint64_t bursts;              /* per process */
    uint64_t duration_ns;         /* per process */
    uint64_t first_start_ns;
    uint64_t last_start_ns;
    uint64_t resolution_ns; /* resolution of times; the coarsest */
    uint64_t truncated;
    uint64_t dropped;       /* per process */
    uint64_t foreign_frees; /* per process */
    uint64_t other_malloc; /* runs of programs with an allocator of their own */
    uint64_t handler_jumps;  /* per process */
    uint64_t context_checks; /* per process */
    uint64_t context_differences;
    uint64_t stack_depth_max;
    uint64_t peak_bytes;       /* sum of the live bytes at each run's peak */
    uint64_t peak_runs;        /* runs with a peak */
    uint64_t peak_ns;          /* after the start of the run; the latest */
    uint64_t own_time_ns;      /* per process, if it timed calls */
    uint64_t timed_calls;      /* per process */
    uint64_t own_memory_bytes; /* the largest of all processes */
    bool has_measured;         /* accesses of some call stack were measured */
    bool has_unmeasured;       /* and of some were not */
    bool is_now;               /* live values are from the middle of runs */
    uint64_t moment_runs;      /* with the blocks of a moment only */
    uint64_t alive_ns;         /* of these, as in struct mpdata_run: the last */
    uint64_t after_ns;
    bool are_moments_counts; /* of events, in a log without times */
};

/* Are all live values from dumps in the middle of a run? */
bool mpdata_run_totals_are_now(const struct mpdata_view *view);

/* Is every run a moment of a log, which has only blocks? */
bool mpdata_run_totals_are_moments(const struct mpdata_view *view);

/* Sums up the runs. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_run_totals(const struct mpdata_view *view,
                  struct mpdata_run_totals *totals);

/* Returns the number of runs with lifetimes; sets *average_ns to the average of
 * their durations, 0 if all are unknown. */
uint64_t mpdata_run_totals_lived(const struct mpdata_run_totals *totals,
                                 double *average_ns);
