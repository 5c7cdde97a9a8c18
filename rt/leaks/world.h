/* world.h -- all threads of the program stand still while a process of ours
 * looks at what they have in hand.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_WORLD_H
#define MPRT_WORLD_H

#include "rt/base/rt.h"

/* struct user_regs_struct of the kernel, as words. */
#define MPRT_WORLD_REGISTERS 27

struct mprt_world_thread {
    uint32_t tid;
    uint32_t state; /* enum mprt_os_traced */
    int signal;     /* that it was about to get */
    uint64_t registers[MPRT_WORLD_REGISTERS];
};
uintptr_t mprt_world_stack_pointer(const struct mprt_world_thread *t);
uintptr_t mprt_world_thread_pointer(const struct mprt_world_thread *t);

/* The threads that stand, but for the one that called mprt_world_stop(), which
 * waits. */
struct mprt_world {
    const struct mprt_world_thread *threads;
    uint32_t count;
};

/* Calls look(argument) in a process that shares the memory, while all threads
 * stand. There, libc must not be called, no lock be waited for, and what cannot
 * be read be read in mprt_fault_try() only. NULL, or why it could not be done.
 * Takes some seconds at most, and what look() takes, up to patience_ns. One at
 * a time; the caller holds what look() needs to be in order. */
const char *mprt_world_stop(void (*look)(const struct mprt_world *world,
                                         void *argument),
                            void *argument, uint64_t patience_ns);

#endif
