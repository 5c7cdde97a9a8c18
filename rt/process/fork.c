/* fork.c -- processes that come out of this one.
 *
 * A forked child starts from zero without a walk of the heap: call stacks get
 * new ids from then on, and what bears an older one is the parent's, blocks
 * that are alive included. Their ends are not recorded.
 *
 * fork() is followed by fork handlers, which libc runs also for its own calls
 * (daemon(), forkpty()). Ours are registered before anybody else's, so that the
 * program's handlers run while nothing is locked. The parts of the runtime take
 * their locks before, in the order of their table, and give them back after, in
 * the child by force. Not taken are
 *
 *   - contexts' locks, there are too many: a child never looks at a context of
 *     its parent's;
 *   - the snapshots': one may be on its way into a pipe that nobody reads;
 *   - the helper's: who holds it may wait for a dump for seconds;
 *   - where a signal handler forks inside the runtime, those that this thread
 *     may hold; the heap's and the signals' are held with signals blocked, so
 * it holds none of these, and they stand behind all that are not.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/process/fork.h"
#include "rt/base/lifecycle.h"
#include "rt/base/os.h"
#include "rt/base/thread.h"

extern int __register_atfork(void (*before)(void), void (*in_parent)(void),
                             void (*in_child)(void), void *dso_handle);

/* Of the fork that is under way: a handler that forks too comes before or after
 * it, because signals are blocked in between. */
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
