/* jump.c -- jumps out of signal handlers, counted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/jump.h"
#include "rt/base/log.h"
#include "rt/base/os.h"
#include "rt/base/thread.h"
#include "rt/stack/unwind.h"

#include <signal.h>

static _Atomic uint64_t jumps;
static uint32_t said_once;

/* On a signal stack, which may have no room for a walk, its bounds tell. The
 * kernel is asked for them only where no walk has been. */
static bool leaves_handler(uintptr_t caller_pc, uintptr_t caller_frame,
                           uintptr_t target)
{
    const struct mprt_thread *const t = mprt_thread_local.state;
    const bool is_known =
        t != NULL && caller_frame - t->stack_low < t->stack_high - t->stack_low;
    stack_t stack;

    if (!is_known && mprt_os_signal_stack(NULL, &stack) == 0 &&
        (stack.ss_flags & SS_ONSTACK) != 0)
        return target - (uintptr_t)stack.ss_sp >= stack.ss_size;
    return mprt_unwind_leaves_handler(caller_pc, caller_frame, target);
}

void mprt_jump_note(uintptr_t caller_pc, uintptr_t caller_frame,
                    uintptr_t target)
{
    /* From inside the runtime only a handler that interrupted it jumps. */
    const bool enters = mprt_thread_enter();
    const bool leaves =
        !enters || leaves_handler(caller_pc, caller_frame, target);

    if (enters)
        mprt_thread_leave();
    else
        /* It may hold locks: it stays inside. */
        mprt_log_once(&said_once,
                      "a signal's handler called longjmp() while malloc() or "
                      "its kin ran; if it left them so, what this thread does "
                      "from then on is not recorded",
                      NULL);
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
