/* fault.h -- calls and reads that may fault, for example because another thread
 * unmaps the memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Calls function(argument). False if the call faulted. Works only where a
 * handler of SIGSEGV and SIGBUS calls mprt_fault_bail(), that is in the helper.
 * Calls do not nest. */
bool mprt_fault_try(void (*function)(void *argument), void *argument);
/* For the handler: does not return if this thread is in mprt_fault_try(). */
void mprt_fault_bail(void);

/* Reads a word of memory that may be unmapped. The prefix has no effect on the
 * instruction; mprt_fault_survive() recognizes it. */
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
/* For a handler of SIGSEGV with its ucontext_t. If mprt_fault_read() faulted,
 * makes the read return MPRT_FAULT_VALUE and returns true. */
bool mprt_fault_survive(void *context);
/* Whether a handler of SIGSEGV calls mprt_fault_survive() (option handle_segv).
 */
extern MPRT_HIDDEN _Atomic bool mprt_fault_is_handled;
