/* interpose_proc.c -- functions that make, replace and end processes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/interpose.h"

#include <errno.h>

/* fork() without the handlers. */
MPRT_INTERFACE pid_t _Fork(void)
{
    mprt_process_before_fork();
    const pid_t pid = MPRT_REAL(_Fork)();
    mprt_process_after_fork(pid == 0);
    return pid;
}
