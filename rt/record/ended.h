/* ended.h -- lives of ended blocks on their way to the MIBs.
 *
 * While the process has one thread, a life is added to its MIB at once. With
 * several threads, each collects lives and adds those of one context together,
 * so that threads that use one call stack rarely wait for each other's cache
 * lines. Call inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/mibmap.h"

struct mprt_thread;

/* Adds the life of a block with a count of accesses only, or keeps it until the
 * thread has more. The context must not be a parent process's. t may be NULL.
 */
void mprt_ended_add(struct mprt_thread *t, uint32_t context,
                    const struct mprof_block_life *life);
/* Adds the lives that all threads have collected. */
void mprt_ended_add_all(void);
/* In a forked child: forgets the lives, which the parent adds. */
void mprt_ended_in_child(void);
