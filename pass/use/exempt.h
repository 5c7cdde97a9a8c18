/* exempt.h -- functions that want no hints: annotated by MEMPROF_NO_HINT
 * (inc/memprof.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_EXEMPT_H
#define MPASS_EXEMPT_H

#include "pass/use/sites.h"

/* Marks those of the module. */
void mpass_exempt_mark(struct mpass_sites *sites, LLVMModuleRef module);

#endif
