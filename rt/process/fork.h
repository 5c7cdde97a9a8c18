/* fork.h -- the runtime around fork().
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Registers fork handlers, so that a child starts with empty records. Called
 * once, when libc is ready, before other fork handlers are registered. */
void mprt_fork_init(void);
/* Before and after a fork that runs no fork handlers; after it, in parent and
 * child. */
void mprt_fork_before(void);
void mprt_fork_after(bool is_child);
