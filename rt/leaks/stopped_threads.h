/* stopped_threads.h -- stops all threads of the program while another process
 * of the runtime reads their memory and registers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* struct user_regs_struct of the kernel, as words. */
#define MPRT_STOPPED_THREADS_REGISTERS 27

struct mprt_stopped_thread {
    uint32_t tid;
    uint32_t state; /* enum mprt_os_traced */
    int signal;     /* signal that it was about to receive */
    uint64_t registers[MPRT_STOPPED_THREADS_REGISTERS];
};
uintptr_t
mprt_stopped_threads_stack_pointer(const struct mprt_stopped_thread *t);
uintptr_t
mprt_stopped_threads_thread_pointer(const struct mprt_stopped_thread *t);

/* The stopped threads, without the thread that called
 * mprt_stopped_threads_visit(), which waits. */
struct mprt_stopped_threads {
    const struct mprt_stopped_thread *threads;
    uint32_t count;
};

/* Calls look(argument) in a process that shares the memory, while all threads
 * are stopped. look() must not call libc, must not wait for a lock, and must
 * read memory that may be unreadable only in mprt_fault_try(). Returns NULL, or
 * the reason of a failure. Stopping takes some seconds at most; the whole call
 * at most patience_ns. One call at a time; the caller holds the locks that keep
 * look()'s data consistent. */
const char *mprt_stopped_threads_visit(
    void (*look)(const struct mprt_stopped_threads *stopped, void *argument),
    void *argument, uint64_t patience_ns);
