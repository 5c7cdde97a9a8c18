/* fault.h -- a call that may fault, such as one that reads what another thread
 * may unmap.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_FAULT_H
#define MPRT_FAULT_H

#include "rt/base/rt.h"

/* Calls function(argument); false where that faulted. Only where a handler of
 * SIGSEGV and SIGBUS calls mprt_fault_bail(): in the helper. Not nested. */
bool mprt_fault_try(void (*function)(void *argument), void *argument);
/* In the handler: does not return where this thread is in mprt_fault_try(). */
void mprt_fault_bail(void);

#endif
