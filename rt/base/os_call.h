/* os_call.h -- system calls of x86-64 Linux, for the files os_*.c. They do not
 * go through libc, so they work before libc is ready and leave errno alone.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/os.h"

#include <sys/syscall.h>

#define NS_PER_S UINT64_C(1000000000)

/* Error numbers of <errno.h> as system calls return them. */
#define ERROR_PERMISSION (-1)
#define ERROR_NO_ENTRY (-2)
#define ERROR_INTERRUPTED (-4)
#define ERROR_IO (-5)
#define ERROR_AGAIN (-11)
#define ERROR_NO_MEMORY (-12)
#define ERROR_ACCESS (-13)
#define ERROR_INVALID (-22)
#define ERROR_TOO_MANY_FILES (-24) /* EMFILE */
#define ERROR_NAME_TOO_LONG (-36)
#define ERROR_NO_SYSCALL (-38)
#define ERROR_MIN (-4095)

/* Makes a system call and returns the kernel's result. If the program's sandbox
 * would end the program for the call, fails with ERROR_NO_SYSCALL instead. */
int64_t mprt_os_call(long number, uint64_t a, uint64_t b, uint64_t c,
                     uint64_t d, uint64_t e, uint64_t f);

static inline int64_t call4(long number, uint64_t a, uint64_t b, uint64_t c,
                            uint64_t d)
{
    return mprt_os_call(number, a, b, c, d, 0, 0);
}

static inline bool is_error(int64_t result)
{
    return result < 0 && result >= ERROR_MIN;
}
