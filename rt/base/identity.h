/* identity.h -- which process this is: the program, a child of it, or its
 * helper; and what program and helper know of each other. Safe in signal
 * handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Takes this process for the program's own. Called once, when libc is ready. */
void mprt_identity_init(void);
/* Makes a forked child a program of its own. */
void mprt_identity_in_child(void);

/* False in a child that shares the program's memory (vfork()) or that libc did
 * not make: it must not write files nor change the runtime's state. Not for the
 * helper. */
bool mprt_identity_is_owner(void);
/* True in a forked child. */
bool mprt_identity_is_forked(void);
/* The process id of the program, also in the helper. */
uint32_t mprt_identity_pid(void);
/* Whether this process is the first of its PID namespace: it ignores signals
 * that others send and that it does not handle. */
bool mprt_identity_is_first(void);

/* True in the helper and in other processes of the runtime, which have no
 * descriptors of the program and must not call libc. */
bool mprt_identity_is_helper(void);
/* Makes this process one of them. */
void mprt_identity_become_helper(void);

/* The helper as the program sees it; a lock of rt/process/helper.c protects it.
 */
struct mprt_helper_process {
    uint32_t pid; /* process to wait for; 0: none */
    /* the kernel sets and clears it; 0: the helper has ended */
    _Atomic uint32_t tid;
};
extern MPRT_HIDDEN struct mprt_helper_process mprt_identity_helper;
