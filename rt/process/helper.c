/* helper.c -- the process of ours that dumps while the program runs, for
 * continuous=1, dump_interval and dump_signal, and for dump_on_term in the
 * first process of a container.
 *
 * It shares the program's memory, root and working directory, and nothing else:
 * it is no thread, so the program's count of threads, its signal mask and its
 * process-wide signals stay as they are; it has no exit signal, so wait() and
 * SIGCHLD know nothing of it (__WALL and __WCLONE do); it closes its copies of
 * the descriptors, so that the other end of a pipe sees the program close its
 * end. All signals are blocked in it but the one that tells that the program
 * has ended, and that of a fault.
 *
 * It has thread-local storage of its own, which holds what the runtime keeps
 * there and is not libc's: libc must not be called.
 *
 * What would end or confuse it is preceded by mprt_helper_stop(): exec, changes
 * of user, unshare(). A fork has nobody else's dump under way and a helper of
 * its own afterwards.
 *
 * docs/decisions/0007-helper.md says why.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"
#include "rt/base/thread.h"

#include <errno.h>
#include <signal.h>

#define STACK_BYTES ((size_t)128 << 10)
/* Below and above the thread pointer. */
#define TLS_BELOW_BYTES ((size_t)64 << 10)
#define TLS_ABOVE_BYTES ((size_t)8 << 10)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
/* How long the program waits for a dump of the helper's when it ends. */
#define STOP_PATIENCE_NS UINT64_C(10000000000)
#define CONTROL_PATIENCE_NS UINT64_C(2000000000)
/* continuous=1: a snapshot must stand before a second is over, also where it
 * takes twice as long as the last one; so it begins earlier by one and a half
 * times what that took. Between two is this rest at least. */
#define SNAPSHOT_PERIOD_NS (850 * NS_PER_MS)
#define SNAPSHOT_REST_NS (100 * NS_PER_MS)
#define END_SIGNAL SIGALRM
#define SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))

/* shared.calls: bit 0 asks it to end, the rest counts requests for a dump. */
#define CALL_END 1u
#define CALL_DUMP 2u

static struct {
    struct mprt_lock control; /* start and stop */
    _Atomic uint32_t tid;     /* 0: there is none, or it has ended */
    uint32_t pid;             /* to be reaped; 0: there is none */
    uint32_t parent;
    _Atomic uint32_t calls;
    char *memory; /* stack and thread-local storage */
    size_t memory_bytes;
} shared;

/* The helper's own. */
static _Thread_local bool is_here;
static _Thread_local volatile bool is_busy;
static _Thread_local void **fault_bail;

bool mprt_helper_is_here(void)
{
    return is_here;
}

/* -- In the helper ---------------------------------------------------------- */

/* While a dump is made, it is finished first: no half file stays. */
static void on_end(int number)
{
    (void)number;
    if (!is_busy && mprt_sys_parent_pid() != shared.parent)
        mprt_sys_exit(0);
}

static void on_fault(int number)
{
    if (fault_bail != NULL)
        __builtin_longjmp(fault_bail, 1);
    mprt_sys_exit(number);
}

bool mprt_helper_try(void (*function)(void *argument), void *argument)
{
    void *bail[5];

    if (__builtin_setjmp(bail) != 0) {
        fault_bail = NULL;
        return false;
    }
    fault_bail = bail;
    function(argument);
    fault_bail = NULL;
    return true;
}

/* The program's number in /proc, which may be that of another namespace than
 * getpid()'s; 0: it is not there. From "PID (NAME) STATE PARENT ...". */
static uint64_t find_in_proc(void)
{
    const int fd = mprt_sys_open_read("/proc/self/stat");
    char stat[128];
    uint64_t parent = 0;

    if (fd < 0)
        return 0;
    const int64_t n = mprt_sys_read(fd, stat, sizeof(stat));
    mprt_sys_close(fd);
    int64_t at = n;
    while (at > 0 && stat[at - 1] != ')')
        at--;
    if (at == 0)
        return 0;
    for (at += sizeof(" S ") - 1; at < n && stat[at] >= '0' && stat[at] <= '9';
         at++)
        parent = 10 * parent + (uint64_t)(stat[at] - '0');
    return parent;
}

/* /proc/PROGRAM/NAME into path; false where the program is not there. */
static bool path_in_proc(char *path, size_t size, const char *name)
{
    struct mprt_text t = {.out = path, .size = size};
    const uint64_t number = find_in_proc();

    mprt_text_str(&t, "/proc/");
    mprt_text_uint(&t, number);
    mprt_text_str(&t, name);
    return number != 0;
}

int mprt_helper_open_fd(int fd)
{
    char name[32];
    char path[64];
    struct mprt_text t = {.out = name, .size = sizeof(name)};

    mprt_text_str(&t, "/fd/");
    mprt_text_uint(&t, (uint64_t)fd);
    /* Of a file we would have a position of our own, and the program would
     * write over what we say. */
    return path_in_proc(path, sizeof(path), name) ? mprt_sys_open_special(path)
                                                  : -EPERM;
}

/* False where the program has another image, by an exec that we did not see. */
static bool is_same_program(void)
{
    char path[64];
    char theirs[MPRT_PATH_BYTES];
    char ours[MPRT_PATH_BYTES];

    if (!path_in_proc(path, sizeof(path), "/exe"))
        return true;
    const int64_t n = mprt_sys_readlink(path, theirs, sizeof(theirs));
    const int64_t m = mprt_sys_readlink("/proc/self/exe", ours, sizeof(ours));
    return n <= 0 || m <= 0 ||
           (n == m && mprt_memcmp(theirs, ours, (size_t)n) == 0);
}

struct schedule {
    uint64_t next_ns; /* UINT64_MAX: only when called */
    uint64_t cpu_ns;  /* the program's at the last snapshot */
    uint32_t calls;
};

static void set_next(struct schedule *s, uint64_t start_ns)
{
    const uint64_t took_ns = mprt_sys_monotonic_ns() - start_ns;
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

/* A program that did nothing has nothing new. */
static bool is_idle(struct schedule *s)
{
    const uint64_t now_ns = mprt_sys_cpu_time_ns(shared.parent);
    const bool is_same = now_ns == s->cpu_ns && now_ns != 0;

    s->cpu_ns = now_ns;
    return mprt_options.continuous && is_same;
}

static void do_round(struct schedule *s)
{
    const uint64_t start_ns = mprt_sys_monotonic_ns();
    const uint32_t calls = atomic_load(&shared.calls);
    const bool is_called = calls != s->calls;

    if (!is_called && start_ns < s->next_ns) {
        mprt_sys_sleep_on(&shared.calls, calls,
                          s->next_ns == UINT64_MAX ? UINT64_MAX
                                                   : s->next_ns - start_ns);
        return;
    }
    s->calls = calls;
    if (!is_same_program())
        mprt_sys_exit(0);
    is_busy = true;
    if (is_called || !is_idle(s))
        mprt_profile_from_helper();
    is_busy = false;
    if (!is_called || mprt_options.continuous)
        set_next(s, start_ns);
}

static void run(void)
{
    struct schedule s = {.calls = atomic_load(&shared.calls) & ~CALL_END};

    is_here = true;
    mprt_thread_local.is_inside = true;
    mprt_thread_local.has_ended = true; /* makes do without a state */
    mprt_sys_close_all();
    mprt_sys_name_process("memprof-helper");
    mprt_sys_handle(END_SIGNAL, on_end);
    mprt_sys_handle(SIGSEGV, on_fault);
    mprt_sys_handle(SIGBUS, on_fault);
    mprt_sys_unblock_only(SIGNAL_BIT(END_SIGNAL) | SIGNAL_BIT(SIGSEGV) |
                          SIGNAL_BIT(SIGBUS));
    mprt_sys_at_parent_death(END_SIGNAL);
    s.calls = 0;
    set_next(&s, mprt_sys_monotonic_ns());
    while ((atomic_load(&shared.calls) & CALL_END) == 0 &&
           mprt_sys_parent_pid() == shared.parent)
        do_round(&s);
    mprt_sys_exit(0);
}

/* -- In the program --------------------------------------------------------- */

/* The thread pointer of a block that has room for what the runtime keeps in
 * thread-local storage; zero otherwise. */
static void *make_tls(char *memory, size_t below_bytes)
{
    char *const tp = memory + below_bytes;

    mprt_memcpy(tp, &tp, sizeof(tp)); /* points to itself */
    if (&__rseq_offset != NULL) {
        /* "Not registered": the CPU is asked of the kernel. */
        const int32_t unknown = -1;
        char *const area = tp + __rseq_offset + 4;
        if (area >= memory && area + 4 <= tp + TLS_ABOVE_BYTES)
            mprt_memcpy(area, &unknown, sizeof(unknown));
    }
    return tp;
}

static size_t tls_below_bytes(void)
{
    const uintptr_t tp = (uintptr_t)__builtin_thread_pointer();
    const uintptr_t low =
        mprof_min_u64((uintptr_t)&mprt_thread_local, (uintptr_t)&is_here);

    return mprof_round_up((tp - low) + TLS_BELOW_BYTES, mprt_sys_page_bytes());
}

static int spawn(void)
{
    const size_t below_bytes = tls_below_bytes();
    char *tls;
    int pid;

    if (shared.memory == NULL) {
        shared.memory_bytes = STACK_BYTES + below_bytes + TLS_ABOVE_BYTES;
        shared.memory = (char *)mprt_sys_map(shared.memory_bytes);
        if (shared.memory == NULL)
            return -1;
    }
    tls = shared.memory + STACK_BYTES;
    mprt_memset(tls, 0, below_bytes + TLS_ABOVE_BYTES);
    shared.parent = mprt_sys_pid();
    atomic_store(&shared.calls, 0);
    const uint64_t signals = mprt_sys_block_signals();
    mprt_lock_not_alone();
    pid = mprt_sys_spawn(tls, make_tls(tls, below_bytes), &shared.tid, run);
    mprt_sys_restore_signals(signals);
    return pid;
}

static bool is_wanted(void)
{
    return (mprt_options.continuous || mprt_options.dump_interval > 0 ||
            mprt_options.dump_signal > 0 ||
            (mprt_options.dump_on_term && mprt_options.dump_at_exit &&
             mprt_process_is_first())) &&
           !mprt_options_is_secure();
}

void mprt_helper_start(void)
{
    static uint32_t once;
    int pid = 0;

    if (!is_wanted() || !mprt_process_is_owner() ||
        !mprt_lock_try(&shared.control, CONTROL_PATIENCE_NS))
        return;
    if (shared.pid == 0)
        pid = spawn();
    if (pid > 0)
        shared.pid = (uint32_t)pid;
    mprt_lock_release(&shared.control);
    if (pid < 0)
        mprt_log_once(&once,
                      "cannot start the process that dumps while the program "
                      "runs; is there a limit on processes (ulimit -u) or on "
                      "memory (ulimit -v)?",
                      NULL);
}

static void end_helper(void)
{
    const uint32_t pid = shared.pid;
    const uint64_t start_ns = mprt_sys_monotonic_ns();
    uint64_t waited_ns = 0;

    atomic_fetch_or(&shared.calls, CALL_END);
    mprt_sys_wake(&shared.calls);
    while (atomic_load(&shared.tid) != 0 && waited_ns < STOP_PATIENCE_NS) {
        mprt_sys_sleep_on(&shared.tid, pid, STOP_PATIENCE_NS - waited_ns);
        waited_ns = mprt_sys_monotonic_ns() - start_ns;
    }
    if (atomic_load(&shared.tid) != 0)
        mprt_sys_kill(pid, SIGKILL);
    mprt_sys_reap(pid);
    atomic_store(&shared.tid, 0);
    shared.pid = 0;
}

bool mprt_helper_stop(void)
{
    bool was_there;

    if (shared.pid == 0 || !mprt_process_is_owner() ||
        !mprt_lock_try(&shared.control, CONTROL_PATIENCE_NS))
        return false;
    was_there = shared.pid != 0;
    if (was_there) {
        const uint32_t pid = shared.pid;
        end_helper();
        mprt_profile_after_helper_died(pid);
        mprt_log_unsaid();
    }
    mprt_lock_release(&shared.control);
    return was_there;
}

bool mprt_helper_look(void)
{
    const uint32_t pid = shared.pid;

    if (pid == 0 || !mprt_process_is_owner())
        return false;
    if (atomic_load(&shared.tid) == 0)
        mprt_profile_after_helper_died(pid);
    return true;
}

void mprt_helper_wake(void)
{
    atomic_fetch_add(&shared.calls, CALL_DUMP);
    mprt_sys_wake(&shared.calls);
}

void mprt_helper_after_fork(void)
{
    mprt_lock_reset(&shared.control);
    atomic_store(&shared.tid, 0);
    shared.pid = 0;
    mprt_helper_start();
}
