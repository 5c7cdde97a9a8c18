/* stopped_threads.h -- all threads of the program stand still while a process
 * of ours looks at what they have in hand.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_STOPPED_THREADS_H
#define MPRT_STOPPED_THREADS_H

#include "rt/base/rt.h"

/* struct user_regs_struct of the kernel, as words. */
#define MPRT_STOPPED_THREADS_REGISTERS 27

struct mprt_stopped_thread {
    uint32_t tid;
    uint32_t state; /* enum mprt_os_traced */
    int signal;     /* that it was about to get */
    uint64_t registers[MPRT_STOPPED_THREADS_REGISTERS];
};
uintptr_t
mprt_stopped_threads_stack_pointer(const struct mprt_stopped_thread *t);
uintptr_t
mprt_stopped_threads_thread_pointer(const struct mprt_stopped_thread *t);

/* The threads that stand, but for the one that called
 * mprt_stopped_threads_visit(), which waits. */
struct mprt_stopped_threads {
    const struct mprt_stopped_thread *threads;
    uint32_t count;
};

/* Calls look(argument) in a process that shares the memory, while all threads
 * stand. There, libc must not be called, no lock be waited for, and what cannot
 * be read be read in mprt_fault_try() only. NULL, or why it could not be done.
 * Takes some seconds at most, and what look() takes, up to patience_ns. One at
 * a time; the caller holds what look() needs to be in order. */
const char *mprt_stopped_threads_visit(
    void (*look)(const struct mprt_stopped_threads *stopped, void *argument),
    void *argument, uint64_t patience_ns);

#endif
