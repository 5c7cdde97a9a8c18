/* ignored.h -- what the program declared about leaks: blocks that are no leaks,
 * and regions with pointers of the program. Safe in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/lock.h"

/* Held around mprt_ignored_walk_held(). */
extern MPRT_HIDDEN struct mprt_lock mprt_ignored_lock;

/* Blocks that this thread allocates in between are no leaks. Calls nest. */
void mprt_ignored_disable(void);
void mprt_ignored_enable(void);
/* Declares the live block at p no leak. */
void mprt_ignored_add(const void *p);

/* Declares that [start, start + bytes) holds pointers of the program. Each call
 * needs its own removal. False if the region was not declared. */
void mprt_ignored_add_region(const void *start, size_t bytes);
bool mprt_ignored_remove_region(const void *start, size_t bytes);

/* Calls visitors for each live ignored block and each region. The lock is held,
 * by any thread (mprt_ignored_lock). */
void mprt_ignored_walk_held(void (*block)(uintptr_t p),
                            void (*region)(uintptr_t start, uintptr_t end));
