/* identity.h -- which process this is: the program's, a child of it, its
 * helper; and what program and helper know of each other. Safe in signal
 * handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_IDENTITY_H
#define MPRT_IDENTITY_H

#include "rt/base/rt.h"

/* Takes this process for the program's. Called once, with libc. */
void mprt_identity_init(void);
/* A forked child is a program of its own. */
void mprt_identity_after_fork(bool is_child, bool is_outermost);

/* False in a child that shares this memory (vfork()) or was not made by libc:
 * it must write nothing and change nothing. Of the helper, nobody asks. */
bool mprt_identity_is_owner(void);
/* True in a forked child, for ever. */
bool mprt_identity_is_forked(void);
/* The id of the program's process, also in the helper. */
uint32_t mprt_identity_pid(void);
/* Whether it is the first of its namespace: signals that are sent to it and
 * that it does not handle do nothing. */
bool mprt_identity_is_first(void);

/* True in the helper: it has no descriptors and must call nothing of libc. */
bool mprt_identity_is_helper(void);
/* This thread is the helper. */
void mprt_identity_become_helper(void);

/* The helper, as the program sees it; changed under a lock of
 * rt/process/helper.c.
 */
struct mprt_helper_process {
    uint32_t pid;         /* to be reaped; 0: there is none */
    _Atomic uint32_t tid; /* set and cleared by the kernel; 0: it has ended */
};
extern MPRT_HIDDEN struct mprt_helper_process mprt_identity_helper;

#endif
