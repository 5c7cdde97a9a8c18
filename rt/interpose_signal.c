/* interpose_signal.c -- signals that end the program: the profile is written
 * before they do.
 *
 * We take the place of the default action only. A handler of the program's is
 * the kernel's business, as without us: where it recovers, nothing has
 * happened; where it ends the program, it does so by _exit(), abort() or the
 * default action, and the profile is written there. sigaction() and signal()
 * tell the program what it set itself.
 *
 * After the dump the default action is restored and the signal sent again with
 * its siginfo; it strikes when the handler returns to where the program was, so
 * status, core file and registers are what they would be.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/interpose.h"
#include "rt/thread.h"

#include <errno.h>

#define SIGNALS 65
#define SIGNAL_STACK_BYTES ((size_t)64 << 10)
#define PID_INIT 1

enum mode { MODE_NONE, MODE_DEFAULT, MODE_ALWAYS };

sighandler_t bsd_signal(int number, sighandler_t handler);

static enum mode modes[SIGNALS]; /* constant after the start */
static struct {
    struct mprt_lock lock; /* held with signals blocked */
    /* Our handler is in the place of `own`, what the program set. */
    bool is_ours[SIGNALS];
    struct sigaction own[SIGNALS];
} table;

/* The signal that this thread dies of, or 0. */
static _Thread_local volatile sig_atomic_t dies_of;

static void handle(int number, siginfo_t *info, void *context);

/* -- Dispositions ---------------------------------------------------------- */

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 &&
           action->sa_sigaction == handle;
}

static bool is_default(const struct sigaction *action)
{
    return action->sa_handler == SIG_DFL;
}

static int put_ours(int number, struct sigaction *before)
{
    struct sigaction action = {
        .sa_flags =
            SA_SIGINFO | (mprt_options.use_sigaltstack ? SA_ONSTACK : 0),
    };

    action.sa_sigaction = handle;
    return MPRT_REAL(sigaction)(number, &action, before);
}

static bool is_watched(int number)
{
    return number > 0 && number < SIGNALS && modes[number] != MODE_NONE;
}

/* The lock is held. */
static int change(int number, const struct sigaction *action,
                  struct sigaction *before)
{
    const bool was_ours = table.is_ours[number];
    const struct sigaction own = table.own[number];
    int result = 0;

    if (action == NULL) {
        result = MPRT_REAL(sigaction)(number, NULL, before);
    } else if (modes[number] == MODE_ALWAYS && was_ours) {
        *before = own;
        return 0;
    } else if (is_default(action)) {
        result = put_ours(number, before);
        table.is_ours[number] = result == 0;
        table.own[number] = *action;
    } else {
        result = MPRT_REAL(sigaction)(number, action, before);
        if (result == 0)
            table.is_ours[number] = false;
    }
    if (result == 0 && was_ours && is_ours(before))
        *before = own;
    return result;
}

/* A vfork child has dispositions of its own, and this memory is its parent's.
 */
static int change_in_vfork(int number, const struct sigaction *action,
                           struct sigaction *before)
{
    const int result = MPRT_REAL(sigaction)(number, action, before);

    if (result == 0 && is_ours(before))
        *before = table.own[number];
    return result;
}

MPRT_INTERFACE int sigaction(int number, const struct sigaction *action,
                             struct sigaction *before)
{
    struct sigaction copy;
    struct sigaction old = {0};
    int result;

    if (!is_watched(number))
        return MPRT_REAL(sigaction)(number, action, before);
    /* A fault in the program's memory is the program's. */
    if (action != NULL)
        copy = *action;
    if (!mprt_process_is_owner()) {
        result = change_in_vfork(number, action != NULL ? &copy : NULL, &old);
    } else {
        const uint64_t signals = mprt_sys_block_signals();
        mprt_lock_acquire(&table.lock);
        result = change(number, action != NULL ? &copy : NULL, &old);
        mprt_lock_release(&table.lock);
        mprt_sys_restore_signals(signals);
    }
    if (result == 0 && before != NULL)
        *before = old;
    return result;
}

/* libc's signal() knows what siginterrupt() said; the default action does not
 * need it. */
MPRT_INTERFACE sighandler_t signal(int number, sighandler_t handler)
{
    struct sigaction before = {0};
    const struct sigaction action = {.sa_handler = handler,
                                     .sa_flags = SA_RESTART};

    if (!is_watched(number) || handler == SIG_ERR)
        return MPRT_REAL(signal)(number, handler);
    return sigaction(number, &action, &before) == 0 ? before.sa_handler
                                                    : SIG_ERR;
}

MPRT_INTERFACE sighandler_t bsd_signal(int number, sighandler_t handler)
{
    return signal(number, handler);
}

/* -- The end --------------------------------------------------------------- */

static void end_by(int number, siginfo_t *info)
{
    const struct sigaction action = {.sa_handler = SIG_DFL};

    MPRT_REAL(sigaction)(number, &action, NULL);
    mprt_sys_raise(number, info);
}

static void handle(int number, siginfo_t *info, void *context)
{
    const int saved_errno = errno;
    const bool is_sent = info->si_code <= 0;

    (void)context;
    /* The first process of a container does not die of what is sent to it. */
    if (is_sent && mprt_sys_pid() == PID_INIT)
        return;
    if (dies_of != 0) {
        /* A fault while the profile was made. */
        mprt_log("a fault while the last profile was written; it is lost",
                 NULL);
        end_by(dies_of, info);
        mprt_sys_restore_signals(0);
        mprt_sys_exit(1);
    }
    dies_of = number;
    mprt_profile_at_death();
    end_by(number, info);
    dies_of = 0;
    errno = saved_errno;
}

/* -- Alternate stacks ------------------------------------------------------ */

static bool is_ours_stack(const stack_t *stack)
{
    const struct mprt_thread *const t = mprt_thread_local.state;

    return t != NULL && t->signal_stack != NULL &&
           stack->ss_sp == t->signal_stack;
}

static void give_stack(struct mprt_thread *t)
{
    stack_t now;

    if (mprt_sys_signal_stack(NULL, &now) != 0 ||
        (now.ss_flags & SS_DISABLE) == 0)
        return;
    if (t->signal_stack == NULL)
        t->signal_stack = mprt_sys_map(SIGNAL_STACK_BYTES);
    const stack_t ours = {.ss_sp = t->signal_stack,
                          .ss_size = SIGNAL_STACK_BYTES};
    if (t->signal_stack != NULL)
        mprt_sys_signal_stack(&ours, NULL);
}

static void take_stack(struct mprt_thread *t)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t now;

    if (mprt_sys_signal_stack(NULL, &now) == 0 && t->signal_stack != NULL &&
        now.ss_sp == t->signal_stack)
        mprt_sys_signal_stack(&none, NULL);
}

MPRT_INTERFACE int sigaltstack(const stack_t *restrict stack,
                               stack_t *restrict before)
{
    stack_t now = {0};
    const bool has_ours =
        mprt_sys_signal_stack(NULL, &now) == 0 && is_ours_stack(&now);
    int result = 0;

    /* Ours stays where the program wants none. */
    if (!has_ours || (stack != NULL && (stack->ss_flags & SS_DISABLE) == 0))
        result = MPRT_REAL(sigaltstack)(stack, before);
    if (result == 0 && has_ours && before != NULL)
        *before = (stack_t){.ss_flags = SS_DISABLE};
    return result;
}

/* -- Start ----------------------------------------------------------------- */

static void watch(int number, int64_t mode)
{
    struct sigaction now;

    if (mode <= MODE_NONE || MPRT_REAL(sigaction)(number, NULL, &now) != 0)
        return;
    modes[number] = mode > MODE_DEFAULT ? MODE_ALWAYS : MODE_DEFAULT;
    if (!is_default(&now) && modes[number] != MODE_ALWAYS)
        return;
    table.own[number] = now;
    table.is_ours[number] = put_ours(number, &now) == 0;
}

static int64_t mode_of(int64_t option)
{
    return option == MODE_DEFAULT && !mprt_options.allow_user_segv_handler
               ? MODE_ALWAYS
               : option;
}

void mprt_signals_init(void)
{
    if (mprt_options_is_secure() || !mprt_options.dump_at_exit)
        return;
    watch(SIGSEGV, mode_of(mprt_options.handle_segv));
    watch(SIGBUS, mode_of(mprt_options.handle_sigbus));
    watch(SIGFPE, mode_of(mprt_options.handle_sigfpe));
    watch(SIGILL, mode_of(mprt_options.handle_sigill));
    watch(SIGTRAP, mode_of(mprt_options.handle_sigtrap));
    watch(SIGABRT, mode_of(mprt_options.handle_abort));
    watch(SIGSYS, 1);
    watch(SIGTERM, mprt_options.dump_on_term);
    watch(SIGINT, mprt_options.dump_on_term);
    if (!mprt_options.use_sigaltstack)
        return;
    mprt_thread_started = give_stack;
    mprt_thread_ends = take_stack;
    if (mprt_thread_local.state != NULL)
        give_stack(mprt_thread_local.state);
}

void mprt_signals_after_fork(void)
{
    mprt_lock_reset(&table.lock);
}
