/* findings.h -- what a reader who is new to a profile should look at first:
 * answers to a fixed list of questions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/frames.h"
#include "profdata/query/metrics.h"

/* In the order of output: the most harmful first. */
enum mpdata_finding_kind {
    MPDATA_FINDING_LEAKED,    /* blocks that nothing points to any more */
    MPDATA_FINDING_LIVE,      /* blocks that were never freed */
    MPDATA_FINDING_PEAK,      /* blocks live at the peak */
    MPDATA_FINDING_UNUSED,    /* blocks measured as never accessed */
    MPDATA_FINDING_TEMPORARY, /* freed before the thread's next allocation */
    MPDATA_FINDING_LARGEST, /* bytes of the function that allocates the most */
    MPDATA_FINDING_KINDS
};

/* A finding: the total of all call stacks, and the function with the most.
 * Allocations by wrappers (query/frames.h) count for their callers. */
struct mpdata_finding {
    enum mpdata_finding_kind kind;
    enum mpdata_metric metric; /* the metric of the numbers */
    uint64_t whole; /* what `value` is a part of: the metric's total; for LIVE
                     * the peak's, for TEMPORARY all blocks */
    uint64_t value;
    uint64_t blocks; /* of the call stacks in `value` */
    uint64_t most;   /* the part of one function */
    mpdata_ref node; /* that function, in its largest call stack */
};

/* Finds the relevant ones, in the order of their kinds, and their number.
 * Values that were not measured give no finding. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_findings_make(
    const struct mpdata_profile *profile, struct mpdata_frame_names *names,
    const bool held[MPDATA_METRIC_COUNT],
    struct mpdata_finding findings[MPDATA_FINDING_KINDS], size_t *count);
