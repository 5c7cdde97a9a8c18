/* pattern.h -- patterns of names, as in suppressions of sanitizers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Does the pattern match any part of the name? * matches any text, ^ at the
 * start the name's start, $ at the end its end. */
bool mpdata_pattern_fits(const char *pattern, const char *name);
/* Does it match the whole name? ^ and $ stand for themselves. */
bool mpdata_pattern_fits_whole(const char *pattern, const char *name);
