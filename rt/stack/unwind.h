/* unwind.h -- walks the call stack of an allocation. Inside the guard; also in
 * signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"

#define MPRT_TRACE_PAIRS_MAX 40

/* The words of the stack that a walk read, in pairs whose addresses do not
 * depend on each other: a return address and the frame pointer saved below it.
 * While these words, the caller's address and its frame are unchanged, another
 * walk gives the same stack. */
struct mprt_trace_pair {
    uint32_t offsets[2]; /* offset from `frame` */
    uintptr_t values[2];
};
struct mprt_trace {
    uintptr_t frame;
    uint32_t count;
    bool is_complete;  /* false if there were too many words */
    bool leaves_stack; /* the walk continued on another stack, such as from a
                        * signal handler's to the interrupted one */
    bool is_half;      /* the last pair holds one word twice */
    bool lasts;        /* no binary on the stack is ever unloaded */
    uint32_t plain;    /* number of pairs after the first whose words are
                        * neighbours, the lower one second, before a pair that
                        * is not like that */
    struct mprt_trace_pair pairs[MPRT_TRACE_PAIRS_MAX];
};

/* Walks the stack from the caller outwards. Writes return addresses - 1 to
 * pcs[0..max), leaf first, and returns their number. Frames in the runtime's
 * own code are skipped (the C library allocates below puts(), and puts() is
 * ours). Sets *truncated if the stack has more than `max` frames. Reads only
 * the thread's own stack; frames without a frame pointer are followed by their
 * call frame information. */
size_t mprt_unwind(struct mprt_caller caller, uintptr_t *pcs, size_t max,
                   bool *truncated);
/* Like mprt_unwind(), and fills in the trace. `generation` was read before the
 * call. */
size_t mprt_unwind_traced(struct mprt_trace *trace, uint32_t generation,
                          struct mprt_caller caller, uintptr_t *pcs, size_t max,
                          bool *truncated);

/* Whether a jump to the frame with the stack pointer `target` leaves a signal
 * handler in which the caller runs. */
bool mprt_unwind_leaves_handler(struct mprt_caller caller, uintptr_t target);

/* Forgets which pages the thread that used the state before could read. */
void mprt_unwind_start_thread(struct mprt_thread *t);
