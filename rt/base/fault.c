/* fault.c -- calls and reads that may fault. The signal handler jumps out of
 * the call, or continues behind the read.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/fault.h"
#include "rt/base/libc.h"
#include "rt/base/own_code.h"

#include <signal.h>

static _Thread_local void **fault_bail;

void mprt_fault_bail(void)
{
    if (fault_bail != NULL)
        __builtin_longjmp(fault_bail, 1);
}

bool mprt_fault_try(void (*function)(void *argument), void *argument)
{
    void *bail[5];

    if (__builtin_setjmp(bail) != 0) {
        fault_bail = NULL;
        return false;
    }
    fault_bail = bail;
    function(argument);
    fault_bail = NULL;
    return true;
}

_Atomic bool mprt_fault_is_handled;

bool mprt_fault_survive(void *context)
{
    static const uint8_t marked[] = {0x3e, 0x48, 0x8b, 0x00};
    greg_t *const registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uintptr_t code = (uintptr_t)registers[REG_RIP];

    if (!mprt_own_code_has(code) ||
        mprt_libc_memcmp((const void *)code, marked, sizeof(marked)) != 0)
        return false;
    registers[REG_RAX] = (greg_t)MPRT_FAULT_VALUE;
    registers[REG_RIP] += sizeof(marked);
    return true;
}
