/* unwind.h -- the call stack of an allocation. Inside the guard, also in signal
 * handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_UNWIND_H
#define MPRT_UNWIND_H

#include "rt/base/thread.h"

/* Where allocation functions are interposed: the address to which the outermost
 * runtime function returns, and its frame. To be used in the interface function
 * itself. */
#define MPRT_CALLER_PC() ((uintptr_t)__builtin_return_address(0))
#define MPRT_CALLER_FRAME() ((uintptr_t)__builtin_frame_address(0))

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
    bool is_complete;  /* false where there were too many */
    bool leaves_stack; /* a handler's, for the interrupted one, or other */
    bool is_half;      /* the last pair is one word twice */
    bool lasts;        /* no module that it went through is ever unloaded */
    uint32_t plain;    /* pairs after the first that are neighbours, the lower
                          one second, before another that is not */
    struct mprt_trace_pair pairs[MPRT_TRACE_PAIRS_MAX];
};

/* Return addresses - 1, leaf first, starting at the caller: at most max, those
 * in the runtime's own code left out (the C library allocates below puts(), and
 * puts() is ours). *truncated is set where frames were left out for that limit.
 * Reads only the thread's own stack; frames without frame pointers are followed
 * by their call frame information. */
size_t mprt_unwind(uintptr_t caller_pc, uintptr_t caller_frame, uintptr_t *pcs,
                   size_t max, bool *truncated);
/* As mprt_unwind(), in the generation that was read before, and fills in the
 * trace. */
size_t mprt_unwind_traced(struct mprt_trace *trace, uint32_t generation,
                          uintptr_t caller_pc, uintptr_t caller_frame,
                          uintptr_t *pcs, size_t max, bool *truncated);

/* True if a jump to the frame that has this stack pointer leaves a signal
 * handler in which the caller runs. */
bool mprt_unwind_leaves_handler(uintptr_t caller_pc, uintptr_t caller_frame,
                                uintptr_t target);

/* Whether the address is in the runtime's own code. */
bool mprt_unwind_is_own(uintptr_t pc);

/* Forgets which pages the state's last thread could read. */
void mprt_unwind_start_thread(struct mprt_thread *t);

#endif
