/* lifecycle.h -- the parts of the runtime as a table: how each starts, what it
 * does for a thread, and around fork(). The table itself is
 * rt/start/lifecycle.inc, which alone knows all of them; here is what goes
 * through it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_LIFECYCLE_H
#define MPRT_LIFECYCLE_H

#include "rt/base/rt.h"

struct mprt_thread;

/* Rows stand in lock order: who holds a part's lock takes only those of parts
 * behind it. NULL where a part has nothing to do. */
struct mprt_part {
    /* By system calls only; after the parts behind it. Ends the program where
     * there is no address space. */
    void (*init)(void);
    /* When libc is there; likewise, inside the guard. */
    void (*init_with_libc)(void);
    /* A thread has got its state, which no other code sees yet; and gives it
     * back. In the thread itself, inside the guard. */
    void (*thread_start)(struct mprt_thread *t);
    void (*thread_end)(struct mprt_thread *t);
    /* Around fork(): takes the part's locks, gives them back, in a child by
     * force. is_outermost: this thread holds no lock of the runtime further
     * out; it is false where a signal handler forks inside it. */
    void (*before_fork)(bool is_outermost);
    void (*after_fork)(bool is_child, bool is_outermost);
};

/* Before all others; parts live as long as the process. */
void mprt_lifecycle_set(const struct mprt_part *parts, size_t count);

/* From the last part to the first, so that each finds what it stands on. */
void mprt_lifecycle_init(void);
void mprt_lifecycle_init_with_libc(void);
void mprt_lifecycle_start_thread(struct mprt_thread *t);
/* From the first to the last. */
void mprt_lifecycle_end_thread(struct mprt_thread *t);
/* From the first to the last, and back. */
void mprt_lifecycle_before_fork(bool is_outermost);
void mprt_lifecycle_after_fork(bool is_child, bool is_outermost);

#endif
