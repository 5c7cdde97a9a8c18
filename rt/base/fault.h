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

/* Reads a word that may not be there any more. The prefix, which does nothing,
 * marks the instruction for mprt_fault_survive(). */
#define MPRT_FAULT_VALUE UINT64_C(0xbadd6d70726f6621)
static inline uintptr_t mprt_fault_read(uintptr_t address)
{
    uintptr_t value;

    __asm__ volatile(".byte 0x3e; movq (%%rax), %%rax"
                     : "=a"(value)
                     : "a"(address)
                     : "memory");
    return value;
}
/* In a handler of SIGSEGV, with its ucontext_t: true where that came of
 * mprt_fault_read(), which gives MPRT_FAULT_VALUE. */
bool mprt_fault_survive(void *context);
/* False where no handler of SIGSEGV calls it: the option handle_segv. */
extern MPRT_HIDDEN _Atomic bool mprt_fault_is_handled;

#endif
