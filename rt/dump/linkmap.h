/* linkmap.h -- the loaded modules without libc's locks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_LINKMAP_H
#define MPRT_LINKMAP_H

#include "rt/base/rt.h"

#include <link.h>

/* As dl_iterate_phdr(), for the helper: a module may go while it is looked at,
 * so the caller must stand a fault (fault.h). */
void mprt_linkmap_iterate(int (*visit)(struct dl_phdr_info *info, size_t size,
                                       void *context),
                          void *context);

#endif
