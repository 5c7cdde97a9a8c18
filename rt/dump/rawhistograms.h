/* rawhistograms.h -- writes HISTOGRAMS and CELLS of a raw profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/rawrows.h"
#include "shared/container.h"

/* Appends the sections if a context has a histogram. False without memory. */
bool mprt_rawhistograms_add(const struct mprt_rawrows *rows,
                            struct mprof_buf *out, struct mprof_dir *dir);
