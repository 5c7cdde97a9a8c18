/* signals.c -- writes the profile before a signal ends the program.
 *
 * We replace only the default action. A handler of the program runs as it would
 * without us: if it recovers, nothing has happened; if it ends the program by
 * _exit(), abort() or the default action, the profile is written there.
 * sigaction() and signal() report to the program what it set itself.
 *
 * Our handler calls the program's handlers of SIGSEGV, because the fault may
 * come from our own read of a stack that has been unmapped (fault.h). For a
 * fault of the program, we take no lock and make no system call.
 *
 * After the dump we restore the default action and send the signal again with
 * its siginfo. It takes effect when our handler returns to the interrupted
 * code, so status, core file and registers are as without us.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/process/process.h"
#include "rt/base/fault.h"
#include "rt/base/identity.h"
#include "rt/base/lock.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/sandbox.h"
#include "rt/dump/profile.h"
#include "rt/real/real.h"

#include <errno.h>
#include <sys/syscall.h>

#define SIGNALS 65
#define REAL_TIME_FIRST 34   /* glibc keeps 32 and 33 to itself */
#define STATUS_OF_SIGNAL 128 /* as in shells */
/* How long a write may wait for a pipe or a terminal. */
#define WRITE_PATIENCE_MS 5000

enum mode {
    MODE_NONE,
    MODE_DEFAULT,
    MODE_ALWAYS,
    MODE_DUMP /* dump_signal: dump instead of the default action */
};

static enum mode modes[SIGNALS]; /* constant, except that a child may differ */
static struct {
    struct mprt_lock lock;    /* held with signals blocked */
    _Atomic uint32_t changes; /* odd while the lock is held */
    /* Our handler is installed; `own` is what the program set. */
    bool is_ours[SIGNALS];
    struct sigaction own[SIGNALS];
} table;

/* All signals but that of dump_signal are the program's. */
static bool rests;
static uint64_t rested; /* the signals that we had before */

/* Signals that only end the process are watched. */
static bool watches_ends;

/* The signal that ends this thread, or 0. */
static _Thread_local volatile sig_atomic_t dies_of;

static void handle(int number, siginfo_t *info, void *context);
static void ask_for_dump(int number, siginfo_t *info, void *context);
static void pass_on(int number, siginfo_t *info, void *context);

/* -- dispositions ---------------------------------------------------------- */

/* Takes the lock with signals blocked. Returns what unlock_table() restores. */
static uint64_t lock_table(void)
{
    const uint64_t signals = mprt_os_block_signals();

    mprt_lock_acquire(&table.lock);
    MPRT_ADD(table.changes, 1);
    /* Pairs with the fence in own_of(). */
    atomic_thread_fence(memory_order_release);
    return signals;
}

static void unlock_table(uint64_t signals)
{
    /* Pairs with the load in own_of(). */
    atomic_fetch_add_explicit(&table.changes, 1, memory_order_release);
    mprt_lock_release(&table.lock);
    mprt_os_restore_signals(signals);
}

/* Reads what the program set without the lock, although another thread may
 * change it. */
static struct sigaction own_of(int number)
{
    struct sigaction own;
    uint32_t before;

    do {
        before = MPRT_LOAD_ACQUIRE(table.changes);
        own = *(volatile struct sigaction *)&table.own[number];
        atomic_thread_fence(memory_order_acquire);
    } while ((before & 1) != 0 || MPRT_LOAD(table.changes) != before);
    return own;
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 &&
           (action->sa_sigaction == handle ||
            action->sa_sigaction == ask_for_dump ||
            action->sa_sigaction == pass_on);
}

static bool is_default(const struct sigaction *action)
{
    return action->sa_handler == SIG_DFL;
}

static int put_ours(int number, struct sigaction *before)
{
    struct sigaction action = {
        .sa_flags = SA_SIGINFO | SA_RESTART |
                    (mprt_options.use_sigaltstack ? SA_ONSTACK : 0),
    };

    action.sa_sigaction = handle;
    if (modes[number] == MODE_DUMP)
        action.sa_sigaction = ask_for_dump;
    return MPRT_REAL(sigaction)(number, &action, before);
}

/* Installs our handler, which calls the program's. */
static int install_between(int number, const struct sigaction *theirs,
                           struct sigaction *before)
{
    struct sigaction action = *theirs;

    action.sa_sigaction = pass_on;
    action.sa_flags = (int)(((unsigned)theirs->sa_flags | SA_SIGINFO) &
                            ~(unsigned)SA_RESETHAND);
    return MPRT_REAL(sigaction)(number, &action, before);
}

/* A handler to be called once; afterwards we replace the default action again.
 */
static bool is_once(const struct sigaction *action)
{
    return ((unsigned)action->sa_flags & SA_RESETHAND) != 0 &&
           action->sa_handler != SIG_IGN;
}

static void report_theirs(int number)
{
    if (modes[number] == MODE_DUMP)
        MPRT_LOG_ONCE("the program handles the signal of dump_signal itself; "
                      "choose another one");
}

bool mprt_signals_is_watched(int number)
{
    return number > 0 && number < SIGNALS && modes[number] != MODE_NONE &&
           (!rests || modes[number] == MODE_DUMP);
}

/* Tells readers of stacks whether faults are handled. */
static void note_faults(void)
{
    MPRT_STORE(mprt_fault_is_handled, table.is_ours[SIGSEGV]);
}

/* The lock is held. False if our handler is not installed: libc and direct
 * system calls change dispositions, too. */
static bool give_back(int number)
{
    struct sigaction now;
    const bool was_ours = table.is_ours[number] &&
                          MPRT_REAL(sigaction)(number, NULL, &now) == 0 &&
                          is_ours(&now);

    if (was_ours)
        MPRT_REAL(sigaction)(number, &table.own[number], NULL);
    table.is_ours[number] = false;
    note_faults();
    return was_ours;
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
    } else if (is_once(action) ||
               (number == SIGSEGV && action->sa_handler != SIG_IGN)) {
        result = install_between(number, action, before);
        table.is_ours[number] = result == 0;
        table.own[number] = *action;
        report_theirs(number);
    } else {
        report_theirs(number);
        result = MPRT_REAL(sigaction)(number, action, before);
        if (result == 0)
            table.is_ours[number] = false;
    }
    if (result == 0 && was_ours && is_ours(before))
        *before = own;
    note_faults();
    return result;
}

/* A vfork child has its own dispositions but shares our memory with its parent.
 */
static int change_in_vfork(int number, const struct sigaction *action,
                           struct sigaction *before)
{
    const int result = MPRT_REAL(sigaction)(number, action, before);

    if (result == 0 && is_ours(before))
        *before = table.own[number];
    return result;
}

int mprt_signals_set_action(int number, const struct sigaction *action,
                            struct sigaction *before)
{
    struct sigaction copy;
    struct sigaction old = {0};
    int result;

    if (!mprt_signals_is_watched(number))
        return MPRT_REAL(sigaction)(number, action, before);
    /* Copy first: a fault in the program's memory must hit the program, not us
     * with the lock held. */
    if (action != NULL)
        copy = *action;
    if (!mprt_identity_is_owner()) {
        result = change_in_vfork(number, action != NULL ? &copy : NULL, &old);
    } else {
        const uint64_t signals = lock_table();
        result = change(number, action != NULL ? &copy : NULL, &old);
        unlock_table(signals);
    }
    if (result == 0 && before != NULL)
        *before = old;
    return result;
}

/* -- temporary rest -------------------------------------------------------- */

static void begin_rest(void)
{
    for (int i = 1; i < SIGNALS; i++) {
        if (modes[i] != MODE_DUMP && give_back(i))
            rested |= mprt_os_signal_bit(i);
    }
}

static void end_rest(void)
{
    struct sigaction before;

    for (int i = 1; i < SIGNALS; i++) {
        if ((rested & mprt_os_signal_bit(i)) != 0)
            change(i, &table.own[i], &before);
    }
    rested = 0;
}

void mprt_signals_rest(bool rests_now)
{
    const uint64_t signals = lock_table();

    rests = rests_now;
    if (rests)
        begin_rest();
    else
        end_rest();
    unlock_table(signals);
}

/* -- end of the program ---------------------------------------------------- */

/* Raised by an instruction of this thread, not sent. */
static bool is_fault(int number, const siginfo_t *info)
{
    return info->si_code > 0 &&
           (number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
            number == SIGILL || number == SIGTRAP || number == SIGSYS);
}

static void block_in(ucontext_t *context, int number)
{
    context->uc_sigmask.__val[0] |= mprt_os_signal_bit(number);
}

/* Ends the process when this thread's sandbox does not let us restore the
 * default action. If it forbids exit_group(), too, the kernel must do it: a
 * fault whose signal is blocked ends the process. For a fault, returning to the
 * faulting instruction suffices; for a sent signal, we return to address 0. */
static void end_in_sandbox(int number, const siginfo_t *info,
                           ucontext_t *context)
{
    static const struct mprt_sandbox_call leave = {SYS_exit_group, {0}};

    if (is_fault(number, info)) {
        block_in(context, number);
        return;
    }
    if (mprt_sandbox_allows(&leave))
        mprt_os_exit(STATUS_OF_SIGNAL + number);
    block_in(context, SIGSEGV);
    context->uc_mcontext.gregs[REG_RIP] = 0;
}

static void end_by(int number, siginfo_t *info, void *context)
{
    if (!mprt_os_set_default(number) || !mprt_os_raise(number, info))
        end_in_sandbox(number, info, (ucontext_t *)context);
}

/* Container managers send these to stop a container, but the first process of a
 * container does not die of them. */
static bool stops_containers(int number)
{
    return number == SIGTERM || number == SIGINT;
}

/* Go's runtime replaces our handler by direct system calls and calls ours at a
 * SIGPIPE in C code. With the default action in place it would ignore that
 * signal. */
static bool is_passed_on(int number)
{
    static const struct mprt_sandbox_call query = {SYS_rt_sigaction,
                                                   {SIGPIPE, 0, 1, 8}};
    struct sigaction now;

    return number == SIGPIPE && mprt_sandbox_allows(&query) &&
           MPRT_REAL(sigaction)(number, NULL, &now) == 0 && !is_ours(&now);
}

static void handle(int number, siginfo_t *info, void *context)
{
    const int saved_errno = errno;

    if (number == SIGSEGV && mprt_fault_survive(context))
        return;
    /* The first process of a container dies only of its own faults. */
    if (mprt_identity_is_first() && !is_fault(number, info)) {
        if (stops_containers(number))
            mprt_helper_wake();
        return;
    }
    if ((dies_of != 0 && !is_fault(number, info)) || is_passed_on(number))
        return; /* one dump is enough */
    if (dies_of != 0) {
        /* A fault while the profile was being written. */
        mprt_profile_abandon();
        MPRT_LOG("a fault while the last profile was written; it is lost");
        end_by(dies_of, info, context);
        mprt_os_restore_signals(0);
        mprt_os_exit(1);
    }
    dies_of = number;
    /* The sender of the signal is waiting for the program to end. */
    mprt_os_set_write_patience(WRITE_PATIENCE_MS);
    mprt_exit_before_signal();
    end_by(number, info, context);
    mprt_os_set_write_patience(0);
    dies_of = 0;
    errno = saved_errno;
}

/* -- signals that do not end the program ----------------------------------- */

static void ask_for_dump(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    mprt_helper_wake();
}

/* Returns the program's handler. If it is to be called once, the default action
 * comes next. */
static struct sigaction take_own(int number)
{
    struct sigaction before;
    const uint64_t signals = lock_table();
    const struct sigaction theirs = table.own[number];

    if (is_once(&theirs) && !mprt_identity_is_owner()) {
        /* A vfork child has its own dispositions but shares our memory with its
         * parent. */
        mprt_os_set_default(number);
    } else if (is_once(&theirs)) {
        put_ours(number, &before);
        table.own[number].sa_handler = SIG_DFL;
    }
    unlock_table(signals);
    return theirs;
}

typedef void handler_function(int number, siginfo_t *info, void *context);

/* The program's handler; NULL if the signal is handled. */
static __attribute__((noinline)) handler_function *
handler_of(int number, siginfo_t *info, void *context)
{
    if (number == SIGSEGV && mprt_fault_survive(context))
        return NULL;
    struct sigaction theirs = own_of(number);
    if (is_once(&theirs))
        theirs = take_own(number);
    if (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN)
        return theirs.sa_sigaction;
    mprt_os_raise(number, info); /* another thread was faster */
    return NULL;
}

/* Ends with a jump (see rt/build.mk), so stack walks in the program's handler
 * find the frame of the kernel above it, as without us. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    handler_function *const theirs = handler_of(number, info, context);

    if (theirs != NULL)
        theirs(number, info, context); /* as the kernel calls it */
}

/* -- start ----------------------------------------------------------------- */

/* Signals are blocked, because an ignored signal would end the program while
 * our handler is installed. Asking first would cost one more system call per
 * signal. */
static void watch(int number, int64_t mode)
{
    struct sigaction now;

    if (mode <= MODE_NONE || modes[number] == MODE_DUMP ||
        put_ours(number, &now) != 0)
        return;
    modes[number] = mode > MODE_DEFAULT ? MODE_ALWAYS : MODE_DEFAULT;
    table.is_ours[number] = is_default(&now) || modes[number] == MODE_ALWAYS;
    if (table.is_ours[number])
        table.own[number] = now;
    else
        MPRT_REAL(sigaction)(number, &now, NULL);
    note_faults();
}

static bool wants_end(int number, bool is_first)
{
    return is_first ? mprt_options.dump_on_term == MPRT_ON_TERM_ALWAYS &&
                          stops_containers(number)
                    : mprt_options.dump_on_term != MPRT_ON_TERM_NEVER;
}

/* Does the signal end every process except the first of a container? Faults
 * have options of their own. */
static bool ends_processes(int number)
{
    static const int numbers[] = {SIGTERM, SIGINT,    SIGHUP,  SIGQUIT,
                                  SIGUSR1, SIGUSR2,   SIGPIPE, SIGALRM,
                                  SIGXCPU, SIGXFSZ,   SIGPROF, SIGVTALRM,
                                  SIGIO,   SIGSTKFLT, SIGPWR};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(numbers); i++) {
        if (numbers[i] == number)
            return true;
    }
    return number >= REAL_TIME_FIRST;
}

static void watch_ends(void)
{
    const bool is_first = mprt_identity_is_first();

    for (int number = 1; number < SIGNALS; number++) {
        const bool wants = wants_end(number, is_first);
        if (!ends_processes(number))
            continue;
        if (wants && modes[number] == MODE_NONE) {
            watch(number, MODE_DEFAULT);
        } else if (!wants && modes[number] == MODE_DEFAULT) {
            give_back(number);
            modes[number] = MODE_NONE;
        }
    }
}

static int64_t mode_of(int64_t option)
{
    return option == MODE_DEFAULT && !mprt_options.allow_user_segv_handler
               ? MODE_ALWAYS
               : option;
}

/* Replaces the default action, which would end the program. */
static void watch_for_dumps(int64_t number)
{
    struct sigaction now;

    if (number <= 0)
        return;
    if (number >= SIGNALS ||
        MPRT_REAL(sigaction)((int)number, NULL, &now) != 0) {
        MPRT_LOG("dump_signal must be the number of a signal, such as 10 for "
                 "SIGUSR1");
        return;
    }
    modes[number] = MODE_DUMP;
    table.own[number] = now;
    table.is_ours[number] = put_ours((int)number, &now) == 0;
    if (!table.is_ours[number])
        MPRT_LOG("the signal of dump_signal cannot be handled; choose another "
                 "one");
}

static void watch_all(void)
{
    watch_for_dumps(mprt_options.dump_signal);
    watch(SIGSEGV, mode_of(mprt_options.handle_segv));
    if (!mprt_options.dump_at_exit)
        return;
    watch(SIGBUS, mode_of(mprt_options.handle_sigbus));
    watch(SIGFPE, mode_of(mprt_options.handle_sigfpe));
    watch(SIGILL, mode_of(mprt_options.handle_sigill));
    watch(SIGTRAP, mode_of(mprt_options.handle_sigtrap));
    watch(SIGABRT, mode_of(mprt_options.handle_abort));
    watch(SIGSYS, 1);
    watches_ends = true;
    watch_ends();
}

void mprt_signals_init(void)
{
    if (mprt_options_is_secure())
        return;
    const uint64_t signals = mprt_os_block_signals();
    watch_all();
    mprt_os_restore_signals(signals);
}

void mprt_signals_before_fork(bool is_outermost)
{
    (void)is_outermost;
    mprt_lock_acquire(&table.lock);
}

void mprt_signals_after_fork(bool is_child, bool is_outermost)
{
    (void)is_outermost;
    if (is_child && watches_ends && !rests)
        watch_ends();
    mprt_lock_after_fork(&table.lock, is_child, true);
}
