/* advice_rules.h -- the rules of advice.h, for one call stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/judge/advice.h"
#include "profdata/judge/verdict.h"
#include "profdata/query/run_totals.h"

/* What a rule found for a call stack. */
struct mpdata_advice_found {
    uint64_t saved_bytes;
    uint64_t saved_calls;
    uint64_t saved_accesses;
    uint64_t number;
    uint64_t idle_ns; /* of STALE */
};

struct mpdata_advice_rules {
    struct mpdata_view view;
    struct mpdata_sites sites;
    struct mpdata_verdicts verdicts;
    struct mpdata_run_totals runs;
    uint64_t longest_run_ns;
    bool held[MPDATA_METRIC_COUNT];
    bool is_of_peak;                  /* only rows of PEAK are wanted */
    struct mpdata_advice_type *types; /* owned; by type of mpdata_fields */
    uint32_t *type_of; /* owned; by context: its type + 1, or 0 */
    uint8_t *roles;    /* owned; of advice_copies.c, by function (a ref) */
};

/* advice_types.c -- finds the types with cold members: has_split of
 * reorder.h, and all accesses to all of their blocks are known. Sets `types`
 * and `type_of`, which the caller frees even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_advice_types_make(struct mpdata_advice_rules *r,
                         const struct mpdata_profile *profile);

/* Is `part` so many percent of `whole`, or more? */
static inline bool mpdata_advice_is_share(uint64_t part, uint64_t whole,
                                          uint64_t percent)
{
    return mprof_mul_sat_u64(part, 100) >= mprof_mul_sat_u64(whole, percent);
}

/* Are both nodes of the same activation of a function? */
static inline bool mpdata_advice_is_function(const struct mpdata_view *view,
                                             mpdata_ref node, mpdata_ref other)
{
    const mpdata_ref function =
        view->frames[view->nodes[node - 1].frame].function;

    return function != 0 &&
           function == view->frames[view->nodes[other - 1].frame].function &&
           view->nodes[node - 1].parent == view->nodes[other - 1].parent;
}

/* advice_copies.c -- finds copies of strings and vectors that are only read,
 * and that the function that makes them frees, or soon its caller. _make() sets
 * `roles`, which the caller frees. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_advice_copies_make(struct mpdata_advice_rules *r);
/* All accesses to the call stack's blocks were counted. */
bool mpdata_advice_copies_have(const struct mpdata_advice_rules *r,
                               uint32_t context, const struct mprof_mib *mib,
                               struct mpdata_advice_found *found);

/* advice_rules.c */

/* The call stack's bytes at the peak or, if it is unknown, all. */
uint64_t mpdata_advice_rules_bytes(const struct mpdata_advice_rules *r,
                                   const struct mprof_mib *mib);

/* Were all accesses counted? Bursts may have missed some, and accesses to what
 * realloc moved count for the new block. */
bool mpdata_advice_rules_has_accesses(const struct mpdata_advice_rules *r,
                                      uint32_t context,
                                      const struct mprof_mib *mib);

/* Returns the first rule from `kind` on that holds, or `end`; there are rules
 * for kinds before PEAK. */
enum mpdata_advice_kind mpdata_advice_rules_first(
    const struct mpdata_advice_rules *r, uint32_t context,
    const struct mprof_mib *mib, enum mpdata_advice_kind kind,
    enum mpdata_advice_kind end, struct mpdata_advice_found *found);
