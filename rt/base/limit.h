/* limit.h -- the program's limits of address space, of the size of files and of
 * the number of open files (RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_NOFILE), without
 * what the runtime needs: the kernel's limits are larger. Any thread, also in
 * signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/os.h"

bool mprt_limit_is_ours(int resource);
/* The resource must be one of ours. */
struct mprt_os_limit mprt_limit_get(int resource);
/* Sets the limit. Returns 0 or -errno as the kernel would without the
 * runtime's needs. */
int mprt_limit_set(int resource, struct mprt_os_limit limit);
/* Raises the kernel's limit before `bytes` are reserved. */
void mprt_limit_reserve(size_t bytes);
/* Gives `bytes` of the reservation to the program. False if its limit does not
 * allow that. */
bool mprt_limit_use(size_t bytes);
/* Raise the limits of files for a dump, and lower them again. One dump at a
 * time. */
void mprt_limit_before_dump(void);
void mprt_limit_after_dump(void);
/* Before a call that replaces the program, and after the call has failed. */
void mprt_limit_before_exec(void);
void mprt_limit_after_failed_exec(void);
