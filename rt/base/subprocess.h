/* subprocess.h -- a process of ours that shares the program's memory: it looks
 * at what the program has, or writes it out, and is no thread of it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_SUBPROCESS_H
#define MPRT_SUBPROCESS_H

#include "rt/base/rt.h"

struct mprt_sandbox_filter;

struct mprt_subprocess {
    char *memory; /* stack and thread-local storage; stays for the next one */
    struct mprt_sandbox_filter *filters; /* when it was made */
};

/* mprt_os_spawn() with a stack and thread-local storage: the id, or negative.
 * One at a time of each p. If it changes anything while the program runs,
 * mprt_lock_not_alone() comes first. */
int mprt_subprocess_start(struct mprt_subprocess *p, size_t stack_bytes,
                          _Atomic uint32_t *tid, void (*function)(void));
/* In it, first of all. */
void mprt_subprocess_begin(const struct mprt_subprocess *p);

#endif
