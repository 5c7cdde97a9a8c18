/* linkmap.h -- the loaded modules.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_LINKMAP_H
#define MPRT_LINKMAP_H

#include "rt/base/rt.h"

#include <link.h>

/* dl_iterate_phdr(), or, in the helper and in a forked child, the same without
 * libc's locks: there a module may go while it is looked at, so the helper must
 * stand a fault (fault.h). */
void mprt_linkmap_iterate(int (*visit)(struct dl_phdr_info *info, size_t size,
                                       void *context),
                          void *context);

#endif
