/* sandbox.h -- the system calls that the program has forbidden itself by
 * seccomp, as far as we saw its calls. The runtime does not make a call that
 * would kill the program. Safe in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

#include <linux/filter.h>

#define MPRT_SANDBOX_FILTER_MAX 4096 /* BPF_MAXINSNS */

/* Copy of a filter of the program. Never freed once added. */
struct mprt_sandbox_filter {
    struct mprt_sandbox_filter *next;
    _Atomic bool is_void; /* setting it failed */
    bool is_for_all; /* false: the program's first thread does not have it */
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

/* For a process of the runtime that shares the memory: only the filters that
 * mprt_sandbox_last() returned in its parent apply to it. */
struct mprt_sandbox_filter *mprt_sandbox_last(void);
void mprt_sandbox_leave(struct mprt_sandbox_filter *last);

/* This thread enters strict mode, or failed to. */
void mprt_sandbox_set_strict(bool is_strict);
/* A filter is about to be set; setting it has failed. */
void mprt_sandbox_add(struct mprt_sandbox_filter *filter);
void mprt_sandbox_take_back(struct mprt_sandbox_filter *filter);

/* False if the program would die of the call on this thread. */
bool mprt_sandbox_allows(const struct mprt_sandbox_call *call);
/* Whether the filters in force, or the given filter, let the kernel execute the
 * call. The filter may be invalid. A filter that returns an error does not
 * kill, but does not execute the call either. */
bool mprt_sandbox_makes(const struct mprt_sandbox_call *call);
bool mprt_sandbox_filter_makes(const struct mprt_sandbox_filter *filter,
                               const struct mprt_sandbox_call *call);

/* False while everything is allowed. */
extern MPRT_HIDDEN _Atomic bool mprt_sandbox_there;
static inline bool mprt_sandbox_is_there(void)
{
    return MPROF_UNLIKELY(MPRT_LOAD(mprt_sandbox_there));
}
