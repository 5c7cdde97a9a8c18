/* frame_match.h -- finds the frames of a profile whose function's name matches.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/frame_names.h"

/* Does a name match? */
struct mpdata_name_matcher {
    bool (*matches)(void *context, const char *name);
    void *context;
};

/* Returns for each frame of the profile whether its function's name matches:
 * the demangled name, the linkage name or, if the function is unknown,
 * "libx.so+0x12". The caller frees the array with free(). NULL when out of
 * memory. Calls matches() once per function. */
bool *mpdata_frame_match(const struct mpdata_profile *profile,
                         struct mpdata_frame_names *names,
                         const struct mpdata_name_matcher *matcher);
