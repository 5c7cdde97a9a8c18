/* compared.h -- two profiles side by side, as a page needs them: every call
 * stack of both, changed or not, and which functions, lines and files are the
 * same one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_COMPARED_H
#define MPDATA_COMPARED_H

#include "profdata/compare/diff.h"

struct mpdata_compared {
    const char *inputs[MPDATA_DIFF_SIDES]; /* as they were named; borrowed */
    struct mpdata_diff diff;               /* by stack; rows of all of them */
    /* By MPDATA_PAIRING_BY_*, but for stacks. */
    struct mpdata_pairing by[MPDATA_PAIRING_BY_FILE + 1];
    bool held[MPDATA_METRIC_COUNT]; /* by both */
};

/* Compares by what tells most (finds_metric in diff.h); where both measured
 * nothing in common there are no rows. is_absolute: sums, however many runs
 * there are. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_compared_make(struct mpdata_compared *compared,
                     const struct mpdata_profile *const profiles[2],
                     const char *const inputs[2], bool is_absolute);
void mpdata_compared_fini(struct mpdata_compared *compared);

#endif
