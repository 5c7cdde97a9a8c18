/* limit.h -- the program's limit of address space (RLIMIT_AS), without the
 * runtime's reservations: the kernel's limit is larger by their size. Any
 * thread, also in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_LIMIT_H
#define MPRT_LIMIT_H

#include "rt/base/os.h"

struct mprt_os_limit mprt_limit_get(void);
/* Sets the limit. Returns 0 or -errno as the kernel would without the
 * reservations. */
int mprt_limit_set(struct mprt_os_limit limit);
/* Raises the kernel's limit before `bytes` are reserved. */
void mprt_limit_reserve(size_t bytes);
/* Gives `bytes` of the reservation to the program. False if its limit does not
 * allow that. */
bool mprt_limit_use(size_t bytes);
/* Before a call that replaces the program, and after the call has failed. */
void mprt_limit_before_exec(void);
void mprt_limit_after_failed_exec(void);

#endif
