/* wrappers.h -- functions that only allocate for their callers (xmalloc,
 * zrealloc, allocate<T>, the C++ library).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/frame_names.h"

/* Finds for each context the node (a ref) of the innermost function that is no
 * wrapper, and no part of its caller (_grow() of grow()), judged by its name.
 * If all functions are wrappers, it is the innermost node; for an empty call
 * stack it is 0. With has_name, code without a known function is skipped, too.
 * Returns an array by context index, which the caller frees by free(), or NULL
 * when out of memory. */
mpdata_ref *mpdata_wrappers_callers(const struct mpdata_profile *profile,
                                    struct mpdata_frame_names *names,
                                    bool has_name);

/* The same by node ref, for mpdata_prune's `ends`: nodes at which no call stack
 * ends are their own. *count: the call stacks that end in wrappers. To be freed
 * by free(); NULL when out of memory. */
mpdata_ref *mpdata_wrappers_ends(const struct mpdata_profile *profile,
                                 const struct mpdata_demangler *demangler,
                                 uint32_t *count);
