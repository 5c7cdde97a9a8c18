/* limit.h -- the program's limit of address space (RLIMIT_AS), which is without
 * what the runtime has reserved. The kernel's is larger by so much. Any thread,
 * also in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_LIMIT_H
#define MPRT_LIMIT_H

#include "rt/base/os.h"

struct mprt_os_limit mprt_limit_get(void);
/* 0 or -errno, as the kernel would without the reservations. */
int mprt_limit_set(struct mprt_os_limit limit);
/* So many bytes are about to be reserved. */
void mprt_limit_reserve(size_t bytes);
/* So many bytes of them become the program's: false where its limit forbids
 * that. */
bool mprt_limit_use(size_t bytes);
/* Around a call that replaces the program, and returns where that fails. */
void mprt_limit_before_exec(void);
void mprt_limit_after_failed_exec(void);

#endif
