/* ignored.h -- what the program said about leaks: blocks that are none, and
 * memory that its pointers are in. Safe in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_IGNORED_H
#define MPRT_IGNORED_H

#include "rt/base/rt.h"

/* Around fork(), see lifecycle.h; and around a look at it. */
void mprt_ignored_before_fork(bool is_outermost);
void mprt_ignored_after_fork(bool is_child, bool is_outermost);

/* What this thread allocates is no leak, until it is said as often that it may
 * be again. */
void mprt_ignored_disable(void);
void mprt_ignored_enable(void);
/* The live block that starts at p is no leak. */
void mprt_ignored_add(const void *p);

/* Pointers in [start, start + bytes) are the program's. Said twice, it must be
 * taken back twice; false where it was not said. */
void mprt_ignored_add_region(const void *start, size_t bytes);
bool mprt_ignored_remove_region(const void *start, size_t bytes);

/* Calls visit for each ignored block that lives and each region; the lock is
 * held (mprt_ignored_before_fork()), by whom it may be. */
void mprt_ignored_walk_held(void (*block)(uintptr_t p),
                            void (*region)(uintptr_t start, uintptr_t end));

#endif
