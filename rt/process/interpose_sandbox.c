/* interpose_sandbox.c -- functions by which a program forbids itself something:
 * to read the time stamp counter, and system calls.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/counter.h"
#include "rt/real/real.h"

#include <stdarg.h>
#include <sys/syscall.h>

#define ARGUMENTS 6

struct call {
    unsigned long a[ARGUMENTS];
};

/* As libc does: those that the caller did not pass are anything. */
#define TAKE_ARGUMENTS(call, last)                       \
    do {                                                 \
        va_list list;                                    \
        va_start(list, last);                            \
        for (size_t i = 0; i < MPROF_ARRAY_LEN((call).a); i++) \
            (call).a[i] = va_arg(list, unsigned long);   \
        va_end(list);                                    \
    } while (0)

MPRT_INTERFACE int prctl(int option, ...)
{
    struct call call;

    TAKE_ARGUMENTS(call, option);
    if (option == PR_SET_TSC && call.a[0] == PR_TSC_SIGSEGV)
        mprt_counter_lose();
    return MPRT_REAL(prctl)(option, call.a[0], call.a[1], call.a[2], call.a[3]);
}

MPRT_INTERFACE long syscall(long number, ...)
{
    struct call call;

    TAKE_ARGUMENTS(call, number);
    if (number == SYS_prctl && call.a[0] == PR_SET_TSC &&
        call.a[1] == PR_TSC_SIGSEGV)
        mprt_counter_lose();
    return MPRT_REAL(syscall)(number, call.a[0], call.a[1], call.a[2],
                              call.a[3], call.a[4], call.a[5]);
}
