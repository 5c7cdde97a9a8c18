/* findings.h -- what somebody who sees a profile for the first time should look
 * at: the answers to a few questions that are asked of each profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FINDINGS_H
#define MPDATA_FINDINGS_H

#include "profdata/query/frame_names.h"
#include "profdata/query/metrics.h"

/* In the order in which they are told: what hurts most comes first. */
enum mpdata_finding_kind {
    MPDATA_FINDING_LEAKED,    /* nothing points to the blocks any more */
    MPDATA_FINDING_LIVE,      /* most of what was never freed */
    MPDATA_FINDING_PEAK,      /* most of the peak */
    MPDATA_FINDING_UNUSED,    /* never accessed, though that was measured */
    MPDATA_FINDING_TEMPORARY, /* freed before the thread's next allocation */
    MPDATA_FINDING_LARGEST,   /* most bytes are allocated there */
    MPDATA_FINDING_KINDS
};

/* Of a kind: what all call stacks have of it, and the function that has most,
 * what wrappers (query/wrappers.h) allocate being their callers'. */
struct mpdata_finding {
    enum mpdata_finding_kind kind;
    enum mpdata_metric metric; /* that the numbers are of */
    uint64_t whole; /* that the value is a part of: the metric's total;
                       of LIVE the peak's, of TEMPORARY all blocks */
    uint64_t value;
    uint64_t blocks; /* of the call stacks that it is about */
    uint64_t most;   /* of one function */
    uint32_t frame;  /* one of that function's; index */
    bool has_frame;  /* always in findings that are returned */
};

/* Those that matter, in the order of their kinds. What was not measured is no
 * finding. Returns how many there are. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_findings_make(
    const struct mpdata_profile *profile, struct mpdata_frame_names *names,
    const bool held[MPDATA_METRIC_COUNT],
    struct mpdata_finding findings[MPDATA_FINDING_KINDS], size_t *count);

#endif
