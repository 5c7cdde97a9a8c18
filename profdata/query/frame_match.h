/* frame_match.h -- the frames of a profile whose function has a certain name.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FRAME_MATCH_H
#define MPDATA_FRAME_MATCH_H

#include "profdata/query/frame_names.h"

/* Is this a name that is asked for? */
struct mpdata_name_matcher {
    bool (*matches)(void *context, const char *name);
    void *context;
};

/* By frame of the profile: does the function's name fit, as people read it or
 * as the linker does, or where no function is known "libx.so+0x12"? To be freed
 * with free(); NULL without memory. Each function is asked about once. */
bool *mpdata_frame_match(const struct mpdata_profile *profile,
                         struct mpdata_frame_names *names,
                         const struct mpdata_name_matcher *matcher);

#endif
