/* explain.h -- allocation sites of cold and hot blocks: verdicts summed by
 * site. A site is a line of the innermost function that is not an allocation
 * wrapper.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/frames.h"
#include "profdata/judge/verdict.h"

struct mpdata_explain_site {
    uint32_t frame; /* index + 1 of a frame that names it; 0: unknown */
    bool is_mixed;  /* its call stacks have different verdicts */
    uint32_t first; /* in `contexts`, where its largest is first */
    uint32_t count;
    uint32_t stacks[MPDATA_VERDICT_KINDS]; /* call stacks by verdict */
    /* Sums and averages of all its contexts; kind and reason are those of the
     * largest. A value that is unknown for one context is unknown. */
    struct mpdata_verdict sum;
};

/* Sums over all call stacks with one verdict. */
struct mpdata_explain_total {
    uint64_t stacks;
    struct mpdata_verdict sum;
};

struct mpdata_explain {
    struct mpdata_explain_site *rows; /* owned */
    uint32_t count;
    uint32_t *contexts; /* owned; grouped by site */
    uint32_t context_count;
    struct mpdata_explain_total totals[MPDATA_VERDICT_KINDS];
};

/* Selects the call stacks. */
struct mpdata_explain_choice {
    const bool *is_frame; /* by frame: stacks with such a frame; NULL: all */
    enum mpdata_verdict_kind kind; /* call stacks with this verdict;
                                    * MPDATA_VERDICT_KINDS: all */
};

/* Sorts sites by resident bytes, or by allocated bytes if lifetimes are
 * unknown. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_explain_make(
    struct mpdata_explain *explain, const struct mpdata_profile *profile,
    const struct mpdata_verdicts *verdicts, struct mpdata_frame_names *names,
    const struct mpdata_explain_choice *choice);
void mpdata_explain_fini(struct mpdata_explain *explain);
