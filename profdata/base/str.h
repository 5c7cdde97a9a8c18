/* str.h -- strings with a size, and their order.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

struct mpdata_str {
    const char *bytes; /* NUL-terminated as well, for convenience */
    size_t size;       /* without the NUL; may contain NULs (build ids) */
};

/* For qsort(): by bytes, then by length. */
int mpdata_str_compare(const void *left, const void *right);
