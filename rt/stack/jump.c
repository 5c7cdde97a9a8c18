/* jump.c -- jumps out of signal handlers, counted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/jump.h"
#include "rt/base/thread.h"
#include "rt/stack/unwind.h"

static _Atomic uint64_t jumps;

void mprt_jump_note(uintptr_t caller_pc, uintptr_t caller_frame,
                    uintptr_t target)
{
    /* From inside the runtime only a handler that interrupted it jumps. */
    const bool enters = mprt_thread_enter();
    const bool leaves =
        !enters || mprt_unwind_leaves_handler(caller_pc, caller_frame, target);

    if (enters)
        mprt_thread_leave();
    if (leaves)
        atomic_fetch_add_explicit(&jumps, 1, memory_order_relaxed);
}

uint64_t mprt_jump_count(void)
{
    return atomic_load_explicit(&jumps, memory_order_relaxed);
}

void mprt_jump_after_fork(bool is_child, bool is_outermost)
{
    (void)is_outermost;
    if (is_child)
        atomic_store_explicit(&jumps, 0, memory_order_relaxed);
}
