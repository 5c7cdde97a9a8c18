/* sandbox.h -- the system calls that the program has forbidden itself by
 * seccomp, as far as we saw it do that: what it would die of is not called.
 * Safe in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_SANDBOX_H
#define MPRT_SANDBOX_H

#include "rt/base/rt.h"

#include <linux/filter.h>

#define MPRT_SANDBOX_FILTER_MAX 4096 /* BPF_MAXINSNS */

/* A filter of the program's, copied. Never freed once it was added. */
struct mprt_sandbox_filter {
    struct mprt_sandbox_filter *next;
    _Atomic bool is_void; /* taken back */
    bool is_for_all;      /* else the program's first thread is free of it */
    uint32_t count;
    struct sock_filter code[];
};

struct mprt_sandbox_call {
    int64_t number;
    uint64_t arguments[6];
};

/* Takes this thread for the program's first. */
void mprt_sandbox_init(void);
bool mprt_sandbox_is_first_thread(void);

/* This thread is a process of its own, which shares the memory: what was
 * forbidden after mprt_sandbox_last() gave this is not forbidden to it. */
struct mprt_sandbox_filter *mprt_sandbox_last(void);
void mprt_sandbox_leave(struct mprt_sandbox_filter *last);

/* This thread enters strict mode, or did not get there. */
void mprt_sandbox_set_strict(bool is_strict);
/* A filter is put in force, and taken back. */
void mprt_sandbox_add(struct mprt_sandbox_filter *filter);
void mprt_sandbox_take_back(struct mprt_sandbox_filter *filter);

/* False where the program would die of the call on this thread. */
bool mprt_sandbox_allows(const struct mprt_sandbox_call *call);
/* Whether the filters in force, or one, which may be anything, have the kernel
 * make the call; an error instead is not deadly, and no call. */
bool mprt_sandbox_makes(const struct mprt_sandbox_call *call);
bool mprt_sandbox_filter_makes(const struct mprt_sandbox_filter *filter,
                               const struct mprt_sandbox_call *call);

/* False while everything is allowed. */
extern MPRT_HIDDEN _Atomic bool mprt_sandbox_there;
static inline bool mprt_sandbox_is_there(void)
{
    return MPROF_UNLIKELY(
        atomic_load_explicit(&mprt_sandbox_there, memory_order_relaxed));
}

#endif
