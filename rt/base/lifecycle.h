/* lifecycle.h -- the table of the runtime's parts: what each part does at the
 * start, for a thread and around fork(). rt/start/lifecycle.inc defines the
 * table; the functions here run it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

struct mprt_thread;

/* Rows stand in lock order: a thread that holds a part's lock may take only
 * locks of later rows. NULL: the part has nothing to do. */
struct mprt_part {
    /* Starts the part by system calls only, after all later parts. Ends the
     * program without address space. */
    void (*init)(void);
    /* Starts the part once libc is ready, after all later parts, inside the
     * guard. */
    void (*init_with_libc)(void);
    /* Runs in a thread when it gets or gives back its state, inside the guard.
     * No other thread sees the state yet at thread_start. */
    void (*thread_start)(struct mprt_thread *t);
    void (*thread_end)(struct mprt_thread *t);
    /* Taken around fork() if is_outermost; in a child, released even if another
     * thread held it. */
    struct mprt_lock *lock;
    /* Around fork(), for other locks. is_outermost: this thread holds no lock
     * of the runtime. It is false if a signal handler forks inside the runtime.
     */
    void (*before_fork)(bool is_outermost);
    void (*after_fork)(bool is_child, bool is_outermost);
    /* Runs in a forked child before the lock is released. */
    void (*in_child)(void);
};

/* Sets the table, before all other calls. The table lives as long as the
 * process. */
void mprt_lifecycle_set(const struct mprt_part *parts, size_t count);

/* From the last part to the first, so that each part finds the parts that it
 * uses. */
void mprt_lifecycle_init(void);
void mprt_lifecycle_init_with_libc(void);
void mprt_lifecycle_start_thread(struct mprt_thread *t);
/* From the first part to the last. */
void mprt_lifecycle_end_thread(struct mprt_thread *t);
/* From the first part to the last, and after fork() from the last to the first.
 */
void mprt_lifecycle_before_fork(bool is_outermost);
void mprt_lifecycle_after_fork(bool is_child, bool is_outermost);
