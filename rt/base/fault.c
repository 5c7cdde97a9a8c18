/* fault.c -- a call that may fault. The handler of the signal jumps out of it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/fault.h"

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
