/* linkmap.h -- iterates over the loaded binaries.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

#include <link.h>

/* Like dl_iterate_phdr(). In the helper process and in a forked child it takes
 * no lock of libc. A binary may then be unloaded during the iteration, so the
 * helper must survive a fault (fault.h). */
void mprt_linkmap_iterate(int (*visit)(struct dl_phdr_info *info, size_t size,
                                       void *context),
                          void *context);
/* Sets *info to the main program: its program headers, from the auxiliary
 * vector, its bias, and "" as its name. No lock. */
void mprt_linkmap_find_main(struct dl_phdr_info *info);
