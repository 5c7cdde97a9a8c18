/* roots.h -- finds the roots of the search: pointers outside of blocks, in
 * global variables, stacks, registers and thread-local storage.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/leaks/stopped_threads.h"

/* A thread: its stack pointer (the stack grows down) and its thread pointer. */
struct mprt_roots_thread {
    uintptr_t stack;
    uintptr_t pointer;
    bool is_first; /* the program's first thread */
};

/* Lists the binaries. Returns false if out of memory. mprt_roots_end() must
 * follow in any case. Call these functions while all threads are stopped. */
bool mprt_roots_begin(void);
void mprt_roots_end(void);

/* Marks everything that the roots point to, after mprt_mark_begin(). The caller
 * has no stack (0) if it is no thread of the program. Returns NULL, or the
 * reason of a failure. */
const char *mprt_roots_mark(const struct mprt_stopped_threads *stopped,
                            const struct mprt_roots_thread *caller);
