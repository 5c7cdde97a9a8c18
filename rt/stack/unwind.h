/* unwind.h -- what others need of unwind.c beyond rt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_UNWIND_H
#define MPRT_UNWIND_H

#include "rt/base/rt.h"

#define MPRT_TRACE_PAIRS_MAX 40

/* The words of the stack that a walk read, in pairs whose places do not depend
 * on each other: a return address and the frame pointer saved below it. While
 * they, the caller's address and its frame are the same, another walk gives the
 * same stack. */
struct mprt_trace_pair {
    uint32_t offsets[2]; /* from the frame */
    uintptr_t values[2];
};
struct mprt_trace {
    uintptr_t frame;
    uint32_t count;
    bool is_complete; /* false where there were too many */
    bool is_half;     /* the last pair is one word twice */
    uint32_t plain;   /* pairs after the first that are neighbours, the lower
                         one second, before another that is not */
    struct mprt_trace_pair pairs[MPRT_TRACE_PAIRS_MAX];
};

/* What is remembered of code addresses holds for one generation, which is over
 * when modules were unloaded, and in a forked child. 0: modules are just being
 * unloaded, nothing must be remembered. */
extern _Atomic uint32_t mprt_unwind_generation;
static inline uint32_t mprt_unwind_now(void)
{
    return atomic_load_explicit(&mprt_unwind_generation, memory_order_acquire);
}

/* As mprt_unwind(), in the generation that was read before, and fills in the
 * trace. */
size_t mprt_unwind_traced(struct mprt_trace *trace, uint32_t generation,
                          uintptr_t caller_pc, uintptr_t caller_frame,
                          uintptr_t *pcs, size_t max, bool *truncated);

/* Around what may unload modules, in one thread, nested; must_forget: something
 * was unloaded. */
void mprt_unwind_suspend(void);
void mprt_unwind_resume(bool must_forget);
/* In a forked child: a new generation. */
void mprt_unwind_after_fork(void);

#endif
