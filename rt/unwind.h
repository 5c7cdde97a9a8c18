/* unwind.h -- what others need of unwind.c beyond rt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_UNWIND_H
#define MPRT_UNWIND_H

#include "rt/rt.h"

#define MPRT_TRACE_PAIRS_MAX 40

/* The words of the stack that a walk read, in pairs whose places do not depend
 * on each other: a return address and the frame pointer saved below it. While
 * they, the caller's address and its frame are the same, another walk gives the
 * same stack. */
struct mprt_trace {
    uintptr_t frame;
    uint32_t count;
    bool is_complete; /* false where there were too many */
    bool is_half;     /* the last pair is one word twice */
    struct {
        uint32_t offsets[2]; /* from the frame */
        uintptr_t values[2];
    } pairs[MPRT_TRACE_PAIRS_MAX];
};

/* As mprt_unwind(), and fills in the trace. */
size_t mprt_unwind_traced(struct mprt_trace *trace, uintptr_t caller_pc,
                          uintptr_t caller_frame, uintptr_t *pcs, size_t max,
                          bool *truncated);

/* Forgets what is known of return addresses: modules were unloaded, and others
 * may take their place. */
void mprt_unwind_forget(void);
/* Grows with each mprt_unwind_forget(). */
extern _Atomic uint32_t mprt_unwind_generation;

#endif
