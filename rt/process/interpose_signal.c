/* interpose_signal.c -- interposes the functions that set a signal's action.
 * They report to the program what it set itself, even if our handler is
 * installed. And abort(), which sets one, too.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os.h"
#include "rt/heap/shadow.h"
#include "rt/process/process.h"
#include "rt/real/real.h"

sighandler_t bsd_signal(int number, sighandler_t handler);
sighandler_t __sysv_signal(int number, sighandler_t handler);

/* Signals for which siginterrupt() asked to interrupt system calls. */
static _Atomic uint64_t interrupting;

MPRT_INTERFACE int sigaction(int number, const struct sigaction *action,
                             struct sigaction *before)
{
    const int result = mprt_signals_set_action(number, action, before);

    if (action != NULL)
        mprt_shadow_count_block((uintptr_t)action, sizeof(*action), false);
    if (result == 0 && before != NULL)
        mprt_shadow_count_block((uintptr_t)before, sizeof(*before), true);
    return result;
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags,
                                uint64_t mask)
{
    struct sigaction before = {0};
    const struct sigaction action = {
        .sa_handler = handler, .sa_mask = {.__val = {mask}}, .sa_flags = flags};

    return mprt_signals_set_action(number, &action, &before) == 0
               ? before.sa_handler
               : SIG_ERR;
}

static bool interrupts_calls(int number)
{
    return (atomic_load(&interrupting) & mprt_os_signal_bit(number)) != 0;
}

static sighandler_t set_signal(int number, sighandler_t handler)
{
    if (!mprt_signals_is_watched(number) || handler == SIG_ERR)
        return MPRT_REAL(signal)(number, handler);
    return set_handler(number, handler,
                       interrupts_calls(number) ? 0 : SA_RESTART,
                       mprt_os_signal_bit(number));
}

MPRT_INTERFACE sighandler_t signal(int number, sighandler_t handler)
{
    return set_signal(number, handler);
}

/* libc's function would find and change our handler. */
MPRT_INTERFACE int siginterrupt(int number, int interrupts)
{
    struct sigaction action;

    if (!mprt_signals_is_watched(number))
        return MPRT_REAL(siginterrupt)(number, interrupts);
    if (mprt_signals_set_action(number, NULL, &action) != 0)
        return -1;
    if (interrupts) {
        atomic_fetch_or(&interrupting, mprt_os_signal_bit(number));
        action.sa_flags &= ~SA_RESTART;
    } else {
        atomic_fetch_and(&interrupting, ~mprt_os_signal_bit(number));
        action.sa_flags |= SA_RESTART;
    }
    return mprt_signals_set_action(number, &action, NULL);
}

static sighandler_t set_sysv_signal(int number, sighandler_t handler)
{
    if (!mprt_signals_is_watched(number) || handler == SIG_ERR)
        return MPRT_REAL(sysv_signal)(number, handler);
    return set_handler(number, handler,
                       (int)((unsigned)SA_RESETHAND | SA_NODEFER), 0);
}

MPRT_INTERFACE sighandler_t sysv_signal(int number, sighandler_t handler)
{
    return set_sysv_signal(number, handler);
}

MPRT_INTERFACE sighandler_t __sysv_signal(int number, sighandler_t handler)
{
    return set_sysv_signal(number, handler);
}

MPRT_INTERFACE sighandler_t sigset(int number, sighandler_t handler)
{
    struct sigaction now;

    if (!mprt_signals_is_watched(number) || handler == SIG_ERR)
        return MPRT_REAL(sigset)(number, handler);
    if (handler == SIG_HOLD) {
        if ((mprt_os_change_signals(true, mprt_os_signal_bit(number)) &
             mprt_os_signal_bit(number)) != 0)
            return SIG_HOLD;
        return mprt_signals_set_action(number, NULL, &now) == 0 ? now.sa_handler
                                                                : SIG_ERR;
    }
    const sighandler_t before = set_handler(number, handler, 0, 0);
    if (before == SIG_ERR)
        return SIG_ERR;
    return (mprt_os_change_signals(false, mprt_os_signal_bit(number)) &
            mprt_os_signal_bit(number)) != 0
               ? SIG_HOLD
               : before;
}

MPRT_INTERFACE sighandler_t bsd_signal(int number, sighandler_t handler)
{
    return set_signal(number, handler);
}

MPRT_INTERFACE sighandler_t ssignal(int number, sighandler_t handler)
{
    return set_signal(number, handler);
}

/* libc's function gives the signal its default action itself if the program
 * ignores it, or when the program's handler returns. We do so before, by which
 * our handler gets its place. */
MPRT_INTERFACE void abort(void)
{
    struct sigaction action;

    if (mprt_signals_is_watched(SIGABRT) &&
        mprt_signals_set_action(SIGABRT, NULL, &action) == 0 &&
        action.sa_handler != SIG_DFL) {
        mprt_os_change_signals(false, mprt_os_signal_bit(SIGABRT));
        mprt_os_raise(SIGABRT, NULL);
        set_handler(SIGABRT, SIG_DFL, 0, 0);
    }
    MPRT_REAL(abort)();
    __builtin_unreachable();
}
