/* subprocess.h -- a process of the runtime that shares the program's memory
 * without being a thread of the program. It inspects the program or writes
 * dumps.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

struct mprt_sandbox_filter;

struct mprt_subprocess {
    /* stack and thread-local storage; kept for the next process */
    char *memory;
    /* the sandbox's filters at the start of the process */
    struct mprt_sandbox_filter *filters;
};

/* mprt_os_spawn() with a stack and thread-local storage. Returns the id, or a
 * negative number. At most one process at a time for each p. If the process
 * changes memory while the program runs, call mprt_lock_not_alone() first. */
int mprt_subprocess_start(struct mprt_subprocess *p, size_t stack_bytes,
                          _Atomic uint32_t *tid, void (*function)(void));
/* The first call in the new process. */
void mprt_subprocess_begin(const struct mprt_subprocess *p);
