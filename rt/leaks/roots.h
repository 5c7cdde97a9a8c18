/* roots.h -- where the program may have pointers to blocks, but for blocks:
 * global variables, stacks, registers, thread-local storage.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_ROOTS_H
#define MPRT_ROOTS_H

#include "rt/leaks/stopped_threads.h"

/* A thread: where its stack ends, which grows down, and its thread pointer. */
struct mprt_roots_thread {
    uintptr_t stack;
    uintptr_t pointer;
    bool is_first; /* the program's first thread */
};

/* Lists the modules; false without memory. Under the loader's lock, where there
 * is one; mprt_roots_end() must follow in any case. */
bool mprt_roots_begin(void);
void mprt_roots_end(void);

/* While all threads stand, and after mprt_mark_begin(): all that they point to
 * is reached. NULL, or why that is not known. */
const char *mprt_roots_mark(const struct mprt_stopped_threads *stopped,
                            const struct mprt_roots_thread *caller);

#endif
