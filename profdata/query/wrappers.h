/* wrappers.h -- functions that only allocate for their callers (xmalloc,
 * zrealloc, allocate<T>, the C++ library).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_WRAPPERS_H
#define MPDATA_WRAPPERS_H

#include "profdata/query/frame_names.h"

/* By context: the node, as ref, of the innermost function that is no wrapper,
 * by its name; where all are, the innermost node. has_name: code of no known
 * function is passed as well, so that the function can be named. 0 for a call
 * stack of which nothing is known. malloc'd; NULL without memory. */
mpdata_ref *mpdata_wrappers_callers(const struct mpdata_profile *profile,
                                    struct mpdata_frame_names *names,
                                    bool has_name);

#endif
