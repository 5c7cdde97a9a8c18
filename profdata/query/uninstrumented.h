/* uninstrumented.h -- binaries of a profile with code that is not instrumented;
 * its accesses are unknown.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* Owned. */
struct mpdata_uninstrumented {
    /* File names without directories and without system libraries; "a part of
     * x" if other code of x is instrumented. */
    char **names;
    uint32_t count;
    bool is_all; /* nothing is instrumented */
};

/* Lists the names, sorted, without duplicates. Call _fini() even after a
 * failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_uninstrumented_find(struct mpdata_uninstrumented *found,
                           const struct mpdata_profile *profile);
void mpdata_uninstrumented_fini(struct mpdata_uninstrumented *found);

/* Is the binary with this path known to have no instrumented code? */
bool mpdata_uninstrumented_is(const struct mpdata_view *view, mpdata_ref path);
