/* pattern.h -- patterns of names, as sanitizers have them in suppressions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PATTERN_H
#define MPDATA_PATTERN_H

#include "shared/base.h"

/* Does the pattern fit any part of the name? * stands for anything, ^ in front
 * for the name's start and $ at the end for its end. */
bool mpdata_pattern_fits(const char *pattern, const char *name);

#endif
