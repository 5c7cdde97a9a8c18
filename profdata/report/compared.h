/* compared.h -- compares two profiles for a page: all call stacks of both,
 * changed or not, and which functions, lines and files are the same.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/compare/diff.h"

struct mpdata_compared {
    /* As the user named them; borrowed. */
    const char *inputs[MPDATA_DIFF_SIDES];
    struct mpdata_diff diff; /* by stack; with unchanged rows */
    /* Pairings by function, line and file. */
    struct mpdata_pairing by[MPDATA_BY_FILE + 1];
    bool held[MPDATA_METRIC_COUNT]; /* both profiles have the metric */
};

/* Compares by the most telling metric (finds_metric in diff.h); without a
 * common metric there are no rows. is_absolute: compare sums, not values per
 * run. Call _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_compared_make(struct mpdata_compared *compared,
                     const struct mpdata_profile *const profiles[2],
                     const char *const inputs[2], bool is_absolute);
void mpdata_compared_fini(struct mpdata_compared *compared);
