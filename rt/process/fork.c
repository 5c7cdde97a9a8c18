/* process.c -- processes that come out of this one.
 *
 * A forked child starts from zero without a walk of the heap: call stacks get
 * new ids from then on, and what bears an older one is the parent's, blocks
 * that are alive included. Their ends are not recorded.
 *
 * fork() is followed by fork handlers, which libc runs also for its own calls
 * (daemon(), forkpty()). Ours are registered before anybody else's, so that the
 * program's handlers run while nothing is locked. All locks that a live thread
 * may hold are taken before and given back after, in the child by force:
 *
 *   - the heap's are held with signals blocked, so this thread holds none;
 *   - contexts' are not taken, there are too many: a child never looks at a
 *     context of its parent's;
 *   - the snapshots' is not taken: one may be on its way into a pipe that
 *     nobody reads. In the child it is free;
 *   - where a signal handler forks inside the runtime, this thread may hold
 *     some; then only the heap's are taken.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/depot.h"
#include "rt/dump/dump.h"
#include "rt/heap/heap.h"
#include "rt/stack/module_history.h"
#include "rt/base/internal_alloc.h"
#include "rt/base/overhead.h"
#include "rt/base/thread.h"
#include "rt/stack/unwind.h"

extern int __register_atfork(void (*before)(void), void (*in_parent)(void),
                             void (*in_child)(void), void *dso_handle);

extern int __cxa_at_quick_exit(void (*function)(void *), void *dso_handle);

#define PID_INIT 1

static uint32_t owner_pid;
static uint32_t blank_ids; /* the first id, in a child */

static _Thread_local struct {
    uint64_t signals;
    bool has_entered;
    bool has_dump;
} forking;

bool mprt_process_is_owner(void)
{
    return mprt_sys_pid() == owner_pid;
}

bool mprt_process_is_first(void)
{
    return mprt_sys_pid() == PID_INIT;
}

uint32_t mprt_process_pid(void)
{
    return owner_pid != 0 ? owner_pid : mprt_sys_pid();
}

bool mprt_process_is_forked(void)
{
    return blank_ids != 0;
}

bool mprt_process_is_blank_child(void)
{
    return blank_ids != 0 && mprt_depot_count() + 1 == blank_ids;
}

static void for_each_lock(void (*act)(struct mprt_lock *lock))
{
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        act(mprt_heap_class_lock(class));
    act(mprt_heap_page_lock());
    if (forking.has_entered) {
        act(mprt_thread_list_lock());
        act(mprt_origin_lock());
        act(mprt_own_lock());
    }
}

void mprt_process_before_fork(void)
{
    forking.has_entered = mprt_thread_enter();
    forking.has_dump = forking.has_entered && mprt_profile_before_fork();
    forking.signals = mprt_sys_block_signals();
    mprt_clock_before_fork();
    for_each_lock(mprt_lock_acquire);
}

static void start_anew(void)
{
    owner_pid = mprt_sys_pid();
    mprt_depot_restart();
    blank_ids = mprt_depot_first_id;
    /* No thread remembers a context of the parent's. */
    mprt_unwind_after_fork();
    mprt_owntime_restart();
}

void mprt_process_after_fork(bool is_child)
{
    if (is_child) {
        start_anew();
        mprt_lock_reset(mprt_thread_list_lock());
        mprt_lock_reset(mprt_origin_lock());
        mprt_lock_reset(mprt_own_lock());
        mprt_signals_after_fork();
    }
    for_each_lock(is_child ? mprt_lock_reset : mprt_lock_release);
    mprt_clock_after_fork(is_child);
    mprt_sys_restore_signals(forking.signals);
    mprt_profile_after_fork(is_child, forking.has_dump);
    if (is_child)
        mprt_helper_after_fork();
    if (forking.has_entered)
        mprt_thread_leave();
}

static void in_parent(void)
{
    mprt_process_after_fork(false);
}

static void in_child(void)
{
    mprt_process_after_fork(true);
}

static void at_quick_exit(void *unused)
{
    (void)unused;
    mprt_profile_at_death();
}

void mprt_process_init(void)
{
    owner_pid = mprt_sys_pid();
    __cxa_at_quick_exit(at_quick_exit, NULL);
    __register_atfork(mprt_process_before_fork, in_parent, in_child, NULL);
}
