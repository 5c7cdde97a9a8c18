/* os_call.c -- the one function that makes system calls.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os_call.h"
#include "rt/base/sandbox.h"

static inline int64_t call_kernel(long number, uint64_t a, uint64_t b,
                                  uint64_t c, uint64_t d, uint64_t e,
                                  uint64_t f)
{
    register uint64_t r10 __asm__("r10") = d;
    register uint64_t r8 __asm__("r8") = e;
    register uint64_t r9 __asm__("r9") = f;
    int64_t result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                       "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

int64_t mprt_os_call(long number, uint64_t a, uint64_t b, uint64_t c,
                     uint64_t d, uint64_t e, uint64_t f)
{
    const struct mprt_sandbox_call call = {number, {a, b, c, d, e, f}};

    if (mprt_sandbox_is_there() && !mprt_sandbox_allows(&call))
        return ERROR_NO_SYSCALL;
    return call_kernel(number, a, b, c, d, e, f);
}

_Noreturn void mprt_os_exit(int status)
{
    for (;;)
        call_kernel(SYS_exit_group, (uint64_t)status, 0, 0, 0, 0, 0);
}
