/* exit.c -- the ways in which the program ends: the last dump, once, and the
 * reports that the options ask for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/process/process.h"
#include "rt/base/limit.h"
#include "rt/base/lock.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/state.h"
#include "rt/base/thread.h"
#include "rt/dump/dump.h"
#include "rt/dump/profile.h"
#include "rt/events/event_log.h"
#include "rt/leaks/leaks.h"

#include <errno.h>

extern int __cxa_atexit(void (*function)(void *), void *argument,
                        void *dso_handle);
extern int __cxa_at_quick_exit(void (*function)(void *), void *dso_handle);

bool mprt_exit_before_signal(void)
{
    const int saved_errno = errno;

    if (mprt_lock_bail != NULL)
        __builtin_longjmp(mprt_lock_bail, 1); /* a fault in the last dump */
    if (!mprt_profile_is_ours() ||
        (!mprt_options.dump_at_exit && !mprt_event_log_is_on()) ||
        !mprt_state_is_running() || mprt_profile_is_dumping())
        return false;
    if (mprt_thread_local.is_inside)
        mprt_lock_say_stuck(); /* the interrupted code may hold locks */
    if (!mprt_profile_claim_end())
        return false;
    const uint64_t signals = mprt_os_block_other_signals();
    const bool was_first = mprt_thread_enter();
    mprt_helper_stop();
    mprt_event_log_before_last();
    if (mprt_options.dump_at_exit)
        mprt_profile_dump_last();
    mprt_event_log_end(false);
    if (was_first)
        mprt_thread_leave();
    mprt_os_restore_signals(signals);
    errno = saved_errno;
    return true;
}

void mprt_exit_at_death(void)
{
    if (mprt_exit_before_signal())
        mprt_profile_end_is_over();
}

struct mprt_exit_exec mprt_exit_before_exec(void)
{
    const bool had_helper = mprt_helper_stop();
    const bool is_ready = mprt_profile_before_exec();

    mprt_event_log_flush();

    mprt_limit_before_exec();
    return (struct mprt_exit_exec){.had_helper = had_helper,
                                   .is_ready = is_ready};
}

void mprt_exit_after_failed_exec(const struct mprt_exit_exec *exec)
{
    const int saved_errno = errno;

    mprt_limit_after_failed_exec();
    if (exec->is_ready)
        mprt_profile_after_failed_exec();
    if (exec->had_helper)
        mprt_helper_start();
    errno = saved_errno;
}

static void print_modules(void)
{
    if (!mprt_thread_enter())
        return;
    mprt_print_text_module_map();
    mprt_thread_leave();
}

static void dump_last(void)
{
    if (mprt_options.print_module_map != 0)
        print_modules();
    mprt_helper_stop();
    mprt_event_log_before_last();
    if (mprt_options.dump_at_exit)
        mprt_profile_dump_at_exit();
    else
        mprt_event_log_take_snapshot();
    mprt_event_log_end(true);
    if (mprt_options.atexit)
        mprt_stats_print("MemProfiler exit stats:\n");
    mprt_profile_end_is_over();
}

static void dump_at_exit(void *unused)
{
    (void)unused;
    if (!mprt_profile_is_ours())
        return;
    /* Block signals, so that they do not end the program in the middle of its
     * last dump. */
    const uint64_t signals = mprt_os_block_other_signals();
    if (mprt_profile_claim_end())
        dump_last();
    mprt_os_restore_signals(signals);
}

static void at_exit(void *unused)
{
    (void)unused;
    mprt_leaks_from_here(dump_at_exit, NULL);
    mprt_state_end();
}

static void at_quick_exit(void *unused)
{
    (void)unused;
    mprt_exit_at_death();
}

void mprt_exit_init(void)
{
    __cxa_at_quick_exit(at_quick_exit, NULL);
    /* Without a DSO: it runs when the process exits, not when a library is
     * unloaded. */
    __cxa_atexit(at_exit, NULL, NULL);
}
