/* explain.h -- who allocates what is cold or hot: verdicts by allocation site.
 * A site is a line of the innermost function that is none for allocating.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_EXPLAIN_H
#define MPDATA_EXPLAIN_H

#include "profdata/query/frame_names.h"
#include "profdata/judge/verdict.h"

struct mpdata_explain_site {
    uint32_t frame; /* one that names it, as index + 1; 0: nothing is known */
    bool is_mixed;  /* not all of its call stacks are taken for the same */
    uint32_t first; /* of its contexts in `contexts`, those with most first */
    uint32_t count;
    uint32_t stacks[MPDATA_VERDICT_KINDS]; /* call stacks by verdict */
    /* Of all of them together: sums and averages; kind and reason are those of
     * the context with most. What is not known of one is not known. */
    struct mpdata_verdict sum;
};

/* What all call stacks of the profile with a verdict have. */
struct mpdata_explain_total {
    uint64_t stacks;
    struct mpdata_verdict sum;
};

struct mpdata_explain {
    struct mpdata_explain_site *rows; /* owned */
    uint32_t count;
    uint32_t *contexts; /* owned: by site */
    uint32_t context_count;
    struct mpdata_explain_total totals[MPDATA_VERDICT_KINDS];
};

/* Which call stacks are in the rows. */
struct mpdata_explain_choice {
    const bool *is_frame; /* by frame: those with such a one; NULL: all */
    enum mpdata_verdict_kind kind; /* those that are taken for this;
                                      MPDATA_VERDICT_KINDS: all */
};

/* Sites with most bytes alive at a time come first; where lifetimes are not
 * known, those that allocate most. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_explain_make(
    struct mpdata_explain *explain, const struct mpdata_profile *profile,
    const struct mpdata_verdicts *verdicts, struct mpdata_frame_names *names,
    const struct mpdata_explain_choice *choice);
void mpdata_explain_fini(struct mpdata_explain *explain);

#endif
