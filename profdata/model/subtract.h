/* subtract.h -- what a program allocated between two profiles of one run.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* Returns `now` minus `base` for equal call stacks: of the fields that add up
 * the difference, 0 if it is negative, and no others; without tagged rows,
 * distributions and histograms. Both profiles are canonical, and so is the
 * result. The caller frees it; NULL when out of memory. Thread-safe. */
struct mpdata_profile *mpdata_subtract(const struct mpdata_profile *now,
                                       const struct mpdata_profile *base);
