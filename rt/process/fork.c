/* fork.c -- the runtime around fork().
 *
 * A forked child starts with empty records, but without a walk of the heap: new
 * call stacks get new ids, and all older ids belong to the parent, as do the
 * blocks that are alive at the fork. Their ends are not recorded.
 *
 * libc runs fork handlers around fork(), and around its own forks (daemon(),
 * forkpty()). Ours are registered first, so the program's handlers run while
 * nothing is locked. The parts of the runtime take their locks before the fork,
 * in the order of their table, and release them afterwards, in the child even
 * if another thread held them. Some locks are not taken:
 *
 *   - the locks of contexts, which are too many: a child never reads a context
 *     of its parent
 *   - the lock of the snapshot, which may be on its way into a pipe that nobody
 *     reads
 *   - the lock of the helper, whose holder may wait for a dump for seconds
 *   - locks that this thread may hold, if a signal handler forks inside the
 *     runtime. It never holds the locks of heap and signals, because signals
 *     are blocked then; these come last in the table
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/process/process.h"
#include "rt/base/lifecycle.h"
#include "rt/base/os.h"
#include "rt/base/thread.h"

extern int __register_atfork(void (*before)(void), void (*in_parent)(void),
                             void (*in_child)(void), void *dso_handle);

/* State of the current fork. A signal handler that forks, too, does so before
 * or after it, because signals are blocked in between. */
static _Thread_local bool is_outermost;
static _Thread_local uint64_t signals_before;

void mprt_fork_before(void)
{
    signals_before = mprt_os_block_signals();
    is_outermost = mprt_thread_enter();
    mprt_lifecycle_before_fork(is_outermost);
}

void mprt_fork_after(bool is_child)
{
    mprt_lifecycle_after_fork(is_child, is_outermost);
    if (is_outermost)
        mprt_thread_leave();
    mprt_os_restore_signals(signals_before);
}

static void in_parent(void)
{
    mprt_fork_after(false);
}

static void in_child(void)
{
    mprt_fork_after(true);
}

void mprt_fork_init(void)
{
    __register_atfork(mprt_fork_before, in_parent, in_child, NULL);
}
