/* uninstrumented.h -- binaries of a profile without instrumented code, whose
 * accesses it cannot know.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_UNINSTRUMENTED_H
#define MPDATA_UNINSTRUMENTED_H

#include "profdata/model/profile.h"

/* Owned. */
struct mpdata_uninstrumented {
    /* Files, without directories; those of the system left out; "a part of x"
     * where code of x is instrumented, too. */
    char **names;
    uint32_t count;
    bool is_all; /* nothing at all is instrumented */
};

/* By name, each once. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_uninstrumented_find(struct mpdata_uninstrumented *found,
                           const struct mpdata_profile *profile);
void mpdata_uninstrumented_fini(struct mpdata_uninstrumented *found);

/* Whether a program, by its path, is known to be such a one. */
bool mpdata_uninstrumented_is(const struct mpdata_view *view, mpdata_ref path);

#endif
