/* log.h -- writes the log of how a profile was used (shared/use_log.inc).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/use/match.h"

/* Appends the lines of a module to the file with one write. Returns 0 or an
 * errno. */
int mpass_log_append(const char *path, const char *module, const char *profile,
                     const struct mpass_moved *moved,
                     const struct mpass_matches *matches);
