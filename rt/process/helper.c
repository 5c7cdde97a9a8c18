/* helper.c -- the process that dumps while the program runs, for continuous=1,
 * dump_interval and dump_signal, and for dump_on_term=1 in the first process of
 * a container. It serves the control socket, too, and writes the log when no
 * thread does.
 *
 * It shares the program's memory, root and working directory, and nothing else.
 * It is no thread, so the program's number of threads, its signal mask and its
 * process-wide signals stay the same. It has no exit signal, so wait() and
 * SIGCHLD do not see it (__WALL and __WCLONE do). It closes its copies of the
 * descriptors, except that of the log, so that the other end of a pipe sees the
 * program close its end.
 * All signals are blocked in it except faults and the signal that reports the
 * program's end.
 *
 * It has thread-local storage for the runtime's variables, but not for libc's,
 * so it must not call libc.
 *
 * mprt_helper_stop() precedes everything that would end or confuse it: exec,
 * changes of user, unshare(). After a fork, a child starts a helper of its own.
 *
 * docs/decisions/0007-helper.md gives the reasons.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/process/process.h"
#include "rt/base/fault.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/procfs.h"
#include "rt/base/subprocess.h"
#include "rt/dump/profile.h"
#include "rt/events/event_log.h"
#include "rt/process/control.h"

#include <errno.h>
#include <signal.h>

#define STACK_BYTES ((size_t)128 << 10)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
/* How long the end of the program waits for the helper's dump. */
#define STOP_PATIENCE_NS UINT64_C(10000000000)
#define CONTROL_PATIENCE_NS UINT64_C(2000000000)
/* With continuous=1 a snapshot must be complete before each second is over,
 * even if it takes twice as long as the last one; so it starts earlier by one
 * and a half times the last duration. Between two snapshots there is at least
 * this pause. */
#define SNAPSHOT_PERIOD_NS (850 * NS_PER_MS)
#define SNAPSHOT_REST_NS (100 * NS_PER_MS)
#define LINE_BYTES 512
#define END_SIGNAL SIGALRM
/* Tells the helper at the control socket to look at shared.calls. */
#define WAKE_SIGNAL SIGIO
#define SIGNALS                                                     \
    (mprt_os_signal_bit(END_SIGNAL) | mprt_os_signal_bit(SIGSEGV) | \
     mprt_os_signal_bit(SIGBUS))
#define WAKE mprt_os_signal_bit(WAKE_SIGNAL)

/* shared.calls: bit 0 asks the helper to end, the other bits count requests for
 * a dump. */
#define CALL_END 1u
#define CALL_DUMP 2u

static struct {
    struct mprt_lock control; /* protects start and stop */
    uint32_t parent;
    _Atomic uint32_t calls;
    int log_fd;
    struct mprt_subprocess process;
    /* A message that the helper could not write, because it has no descriptors.
     */
    char kept[LINE_BYTES];
    _Atomic uint32_t kept_bytes;
} shared;

/* Variables of the helper. */
static _Thread_local volatile bool is_busy;
static _Thread_local void **bail_when_alone;

/* -- in the helper --------------------------------------------------------- */

static _Noreturn void leave(int status)
{
    mprt_control_close();
    mprt_os_exit(status);
}

/* The program has ended. A dump that is under way is completed, so that no half
 * file remains, unless it waits for a lock that the program held when it was
 * killed. */
static void on_end(int number)
{
    (void)number;
    if (mprt_os_parent_pid() == shared.parent)
        return;
    if (!is_busy)
        leave(0);
    mprt_lock_bail = bail_when_alone;
}

static void on_fault(int number)
{
    mprt_fault_bail();
    leave(number);
}

/* Only ends a system call. */
static void on_wake(int number)
{
    (void)number;
}

/* Writes to the client whose command is being executed, else to the program's
 * stderr. If it cannot be opened (a socket), the first
 * message is kept for the program's end. */
static void write_line(const char *line, size_t bytes)
{
    if (mprt_control_take_message(line, bytes))
        return;
    const int fd = mprt_procfs_open_fd(MPRT_OS_STDERR);

    if (fd >= 0) {
        mprt_os_write_all(fd, line, bytes);
        mprt_os_close(fd);
    } else if (atomic_load(&shared.kept_bytes) == 0) {
        bytes = mprof_min_u64(bytes, sizeof(shared.kept));
        mprt_libc_memcpy(shared.kept, line, bytes);
        atomic_store(&shared.kept_bytes, (uint32_t)bytes);
    }
}

/* False if the program was replaced by an exec that we did not see. */
static bool is_same_program(void)
{
    char path[64];
    char theirs[MPRT_PATH_BYTES];
    char ours[MPRT_PATH_BYTES];

    if (!mprt_procfs_path(path, sizeof(path), "/exe"))
        return true;
    const int64_t n = mprt_os_readlink(path, theirs, sizeof(theirs));
    const int64_t m = mprt_os_readlink("/proc/self/exe", ours, sizeof(ours));
    return n <= 0 || m <= 0 ||
           (n == m && mprt_libc_memcmp(theirs, ours, (size_t)n) == 0);
}

struct schedule {
    uint64_t next_ns; /* UINT64_MAX: only on request */
    uint64_t cpu_ns;  /* the program's CPU time at the last snapshot */
    uint32_t calls;
};

static void set_next(struct schedule *s, uint64_t start_ns)
{
    const uint64_t took_ns = mprt_os_monotonic_ns() - start_ns;
    const uint64_t early_ns = took_ns + took_ns / 2;

    if (mprt_options.continuous)
        s->next_ns =
            start_ns + mprof_max_u64(took_ns + SNAPSHOT_REST_NS,
                                     early_ns < SNAPSHOT_PERIOD_NS
                                         ? SNAPSHOT_PERIOD_NS - early_ns
                                         : 0);
    else if (mprt_options.dump_interval > 0)
        s->next_ns = start_ns + (uint64_t)mprt_options.dump_interval * NS_PER_S;
    else
        s->next_ns = UINT64_MAX;
}

/* Whether the program has not run since the last snapshot, so that there is
 * nothing new. */
static bool is_idle(struct schedule *s)
{
    const uint64_t now_ns = mprt_os_cpu_time_ns(shared.parent);
    const bool is_same = now_ns == s->cpu_ns && now_ns != 0;

    s->cpu_ns = now_ns;
    return mprt_options.continuous && is_same;
}

static void dump_by_signal(void)
{
    mprt_profile_from_helper(true, NULL);
}

static void dump_by_time(void)
{
    mprt_profile_from_helper(false, NULL);
}

/* Does what may wait for locks of the program. */
static void do_guarded(void (*function)(void))
{
    void *bail[5];

    if (!is_same_program())
        leave(0);
    if (__builtin_setjmp(bail) == 0) {
        bail_when_alone = bail;
        is_busy = true;
        function();
        is_busy = false;
        return;
    }
    mprt_profile_abandon();
    leave(0);
}

static void wait_for_work(uint32_t calls, uint64_t ns)
{
    if (!mprt_control_is_open())
        mprt_os_sleep_on(&shared.calls, calls, ns);
    else if (mprt_control_wait(&shared.calls, calls, ns, ~(SIGNALS | WAKE)))
        do_guarded(mprt_control_execute);
}

/* Returns how long it has nothing to do. */
static uint64_t help_log(void)
{
    uint64_t ns = mprt_event_log_help_in_ns();

    if (ns == 0) {
        do_guarded(mprt_event_log_help);
        ns = mprt_event_log_help_in_ns();
    }
    return ns;
}

static void do_round(struct schedule *s)
{
    const uint64_t log_ns = help_log();
    const uint64_t start_ns = mprt_os_monotonic_ns();
    const uint32_t calls = atomic_load(&shared.calls);
    const bool is_called = calls != s->calls;

    if (!is_called && start_ns < s->next_ns) {
        wait_for_work(calls,
                      mprof_min_u64(log_ns, s->next_ns == UINT64_MAX
                                                ? UINT64_MAX
                                                : s->next_ns - start_ns));
        return;
    }
    s->calls = calls;
    if (is_called || !is_idle(s))
        do_guarded(is_called ? dump_by_signal : dump_by_time);
    if (!is_called || mprt_options.continuous)
        set_next(s, start_ns);
}

static void run(void)
{
    struct schedule s = {.calls = atomic_load(&shared.calls) & ~CALL_END};

    mprt_subprocess_begin(&shared.process);
    mprt_log_set_sink(write_line);
    mprt_os_close_all(shared.log_fd);
    mprt_os_name_process("memprof-helper");
    mprt_os_handle(END_SIGNAL, on_end);
    mprt_os_handle(SIGSEGV, on_fault);
    mprt_os_handle(SIGBUS, on_fault);
    mprt_os_handle(WAKE_SIGNAL, on_wake);
    mprt_os_unblock_only(SIGNALS);
    mprt_os_at_parent_death(END_SIGNAL);
    mprt_control_open();
    s.calls = 0;
    set_next(&s, mprt_os_monotonic_ns());
    while ((atomic_load(&shared.calls) & CALL_END) == 0 &&
           mprt_os_parent_pid() == shared.parent)
        do_round(&s);
    leave(0);
}

/* -- in the program -------------------------------------------------------- */

static bool may_dump(void)
{
    return mprt_control_is_wanted() || mprt_options.continuous ||
           mprt_options.dump_interval > 0 || mprt_options.dump_signal > 0 ||
           (mprt_options.dump_on_term == MPRT_ON_TERM_ALWAYS &&
            mprt_options.dump_at_exit && mprt_identity_is_first());
}

static int spawn(void)
{
    shared.parent = mprt_os_pid();
    atomic_store(&shared.calls, 0);
    shared.log_fd = mprt_event_log_begin_helper();
    if (may_dump() || mprt_identity_is_first())
        mprt_lock_not_alone(); /* for the log it takes no brief lock */
    return mprt_subprocess_start(&shared.process, STACK_BYTES,
                                 &mprt_identity_helper.tid, run);
}

/* Safe in signal handlers. */
static void wake(void)
{
    mprt_os_wake(&shared.calls);
    if (mprt_control_is_open())
        mprt_os_kill(mprt_identity_helper.pid, WAKE_SIGNAL);
}

static bool is_wanted(void)
{
    return (mprt_event_log_wants_helper() || may_dump()) &&
           !mprt_options_is_secure();
}

static void begin_watch(uint32_t pid)
{
    mprt_identity_helper.pid = pid;
    mprt_lock_watch(&mprt_identity_helper.tid);
}

static void end_watch(void)
{
    mprt_lock_watch(NULL);
    atomic_store(&mprt_identity_helper.tid, 0);
    mprt_identity_helper.pid = 0;
}

void mprt_helper_start(void)
{
    int pid = 0;

    if (!is_wanted() || !mprt_identity_is_owner() ||
        !mprt_lock_try(&shared.control, CONTROL_PATIENCE_NS))
        return;
    if (mprt_identity_helper.pid == 0)
        pid = spawn();
    if (pid > 0)
        begin_watch((uint32_t)pid);
    /* A client may ask for leaks at any time. */
    if (pid > 0 && mprt_options.leaks && mprt_control_is_wanted())
        mprt_os_let_trace(mprt_identity_helper.pid);
    mprt_lock_release(&shared.control);
    if (pid < 0)
        MPRT_LOG_ONCE("cannot start the process that writes while the program "
                      "runs; is there a limit on processes (ulimit -u) or on "
                      "memory (ulimit -v)?");
}

static void end_helper(void)
{
    const uint32_t pid = mprt_identity_helper.pid;
    const uint64_t start_ns = mprt_os_monotonic_ns();
    uint64_t waited_ns = 0;

    atomic_fetch_or(&shared.calls, CALL_END);
    wake();
    while (atomic_load(&mprt_identity_helper.tid) != 0 &&
           waited_ns < STOP_PATIENCE_NS) {
        mprt_os_sleep_on(&mprt_identity_helper.tid, pid,
                         STOP_PATIENCE_NS - waited_ns);
        waited_ns = mprt_os_monotonic_ns() - start_ns;
    }
    if (atomic_load(&mprt_identity_helper.tid) != 0)
        mprt_os_kill(pid, SIGKILL);
    mprt_os_reap(pid);
    end_watch();
}

/* Writes the kept message after the helper has ended. */
static void write_kept(void)
{
    const uint32_t n = atomic_exchange(&shared.kept_bytes, 0);

    if (n != 0)
        mprt_os_write_all(MPRT_OS_STDERR, shared.kept, n);
}

bool mprt_helper_stop(void)
{
    if (mprt_identity_helper.pid == 0 || !mprt_identity_is_owner() ||
        !mprt_lock_try(&shared.control, CONTROL_PATIENCE_NS))
        return false;
    const bool was_there = mprt_identity_helper.pid != 0;
    if (was_there) {
        const uint32_t pid = mprt_identity_helper.pid;
        end_helper();
        mprt_profile_after_helper_died(pid);
        write_kept();
    }
    mprt_lock_release(&shared.control);
    return was_there;
}

void mprt_helper_wake(void)
{
    /* Where a process may trace only its descendants, the search for leaks
     * needs a permission. */
    if (mprt_options.leaks)
        mprt_os_let_trace(mprt_identity_helper.pid);
    atomic_fetch_add(&shared.calls, CALL_DUMP);
    wake();
}

void mprt_helper_in_child(void)
{
    mprt_lock_reset(&shared.control);
    atomic_store(&shared.kept_bytes, 0); /* the parent writes it */
    end_watch();
    mprt_helper_start();
}
