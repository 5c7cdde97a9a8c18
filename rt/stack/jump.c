/* jump.c -- counts jumps out of signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/jump.h"
#include "rt/base/log.h"
#include "rt/base/os.h"
#include "rt/base/thread.h"
#include "rt/stack/unwind.h"

#include <signal.h>

static _Atomic uint64_t jumps;

/* An alternate signal stack may be too small for a walk, so its bounds decide.
 * The kernel is asked for them only if this stack is not one that was walked
 * before. */
static bool leaves_handler(struct mprt_caller caller, uintptr_t target)
{
    const struct mprt_thread *const t = mprt_thread_local.state;
    const bool is_known =
        t != NULL && caller.frame - t->stack_low < t->stack_high - t->stack_low;
    stack_t stack;

    if (!is_known && mprt_os_signal_stack(NULL, &stack) == 0 &&
        (stack.ss_flags & SS_ONSTACK) != 0)
        return target - (uintptr_t)stack.ss_sp >= stack.ss_size;
    return mprt_unwind_leaves_handler(caller, target);
}

void mprt_jump_note(struct mprt_caller caller, uintptr_t target)
{
    /* If the guard is taken, only a signal handler that interrupted the runtime
     * can be jumping. */
    const bool enters = mprt_thread_enter();
    const bool leaves = !enters || leaves_handler(caller, target);

    if (enters)
        mprt_thread_leave();
    else
        /* The interrupted function may hold locks, so the thread stays inside
         * the guard. */
        MPRT_LOG_ONCE("a signal handler called longjmp() during malloc() or "
                      "another function of the profiler; if the jump left "
                      "that function, this thread is no longer recorded");
    if (leaves)
        MPRT_ADD(jumps, 1);
}

uint64_t mprt_jump_count(void)
{
    return MPRT_LOAD(jumps);
}

void mprt_jump_in_child(void)
{
    MPRT_STORE(jumps, 0);
}
