/* fork.h -- processes that come out of this one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_FORK_H
#define MPRT_FORK_H

#include "rt/base/rt.h"

/* Makes fork() leave a child that starts from zero. Called once, with libc,
 * before anybody else's fork handlers are registered. */
void mprt_fork_init(void);
/* Around a fork that runs no fork handlers; in the parent and in the child. */
void mprt_fork_before(void);
void mprt_fork_after(bool is_child);

#endif
