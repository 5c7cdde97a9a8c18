/* stopped_threads.c -- stops all threads of the program.
 *
 * A thread cannot stop the other threads of its process, but another process
 * can: it asks the kernel to trace each thread and to stop it. No signal is
 * involved, so no handler runs, and a thread that blocks all signals stops too.
 * The process shares the memory and ends after look(). However it ends, the
 * kernel then releases the threads that it traced, so its errors do not affect
 * the program.
 *
 * docs/decisions/0031-leaks.md gives the reasons.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/leaks/search.h"
#include "rt/base/fault.h"
#include "rt/base/identity.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/base/subprocess.h"
#include "rt/base/log.h"

#include <errno.h>
#include <signal.h>

#define STACK_BYTES ((size_t)64 << 10)
#define THREADS_MAX ((size_t)64 << 10)
/* Limit for the threads to stop. A thread that waits for a child of vfork()
 * does not stop. */
#define STOP_PATIENCE_NS UINT64_C(3000000000)
#define END_PATIENCE_NS UINT64_C(1000000000)
#define NAP_NS UINT64_C(200000)
#define STEP_NS UINT64_C(10000000)
#define SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))
/* Indices in struct user_regs_struct. */
#define STACK_POINTER 19
#define THREAD_POINTER 21

enum phase { PHASE_WORKS, PHASE_ASKS, PHASE_ANSWERED, PHASE_OVER };

static const char forbidden[] =
    "the system does not let a process trace this program (ptrace), or a "
    "debugger is attached";
static const char slow[] = "a thread did not stop in time";
static const char no_proc[] =
    "/proc is missing or belongs to another container";
static const char broken[] = "the process that searches has crashed";

static struct {
    struct mprt_subprocess process;
    _Atomic uint32_t tid;   /* of the process; 0 when it has ended */
    _Atomic uint32_t phase; /* enum phase */
    uint32_t program;
    uint32_t caller;
    void (*look)(const struct mprt_stopped_threads *stopped, void *argument);
    void *argument;
    const char *trouble; /* the outcome; NULL on success */
    struct mprt_stopped_thread *threads;
    uint32_t count;
} shared;

/* -- In the other process -------------------------------------------------- */

static void on_fault(int number)
{
    mprt_fault_bail();
    mprt_os_exit(number);
}

static void set_phase(enum phase phase)
{
    atomic_store(&shared.phase, phase);
    mprt_os_wake(&shared.phase);
}

/* Asks the program to allow this process to trace it; needed if the system lets
 * a process trace only its descendants. */
static void ask_to_trace(void)
{
    const uint64_t start_ns = mprt_os_monotonic_ns();

    set_phase(PHASE_ASKS);
    while (atomic_load(&shared.phase) == PHASE_ASKS &&
           mprt_os_monotonic_ns() - start_ns < END_PATIENCE_NS)
        mprt_os_sleep_on(&shared.phase, PHASE_ASKS, STEP_NS);
}

/* Whether a thread has ended. The first thread of a process stays in the list
 * after its end, and cannot be traced. */
static bool has_ended(uint32_t tid)
{
    char path[64];
    char stat[128];
    struct mprt_textbuf t = {.out = path, .size = sizeof(path)};

    MPRT_TEXT(&t, "/proc/", MPRT_DEC(shared.program), "/task/", MPRT_DEC(tid),
              "/stat");
    const int fd = mprt_os_open_read(path);
    if (fd < 0)
        return true;
    int64_t at = mprt_os_read(fd, stat, sizeof(stat) - 2) - 1;
    mprt_os_close(fd);
    while (at >= 0 && stat[at] != ')')
        at--;
    return at < 0 || stat[at + 2] == 'Z' || stat[at + 2] == 'X';
}

static enum mprt_os_traced begin_to_trace(uint32_t tid)
{
    int result = mprt_os_trace(tid);

    if (result == -EPERM && !has_ended(tid)) {
        ask_to_trace();
        result = mprt_os_trace(tid);
    }
    if (result == 0)
        return MPRT_OS_TRACED_RUNS;
    if (result != -ESRCH && !has_ended(tid))
        shared.trouble = forbidden;
    return MPRT_OS_TRACED_ENDED;
}

static bool is_known(uint32_t tid)
{
    for (uint32_t i = 0; i < shared.count; i++) {
        if (shared.threads[i].tid == tid)
            return true;
    }
    return tid == shared.caller;
}

static void add_thread(uint32_t tid)
{
    if (shared.count == THREADS_MAX) {
        shared.trouble = "there are too many threads";
        return;
    }
    shared.threads[shared.count] = (struct mprt_stopped_thread){
        .tid = tid, .state = (uint32_t)begin_to_trace(tid)};
    shared.count++;
}

static bool add_unknown(void *context, uint32_t tid)
{
    (void)context;
    if (!is_known(tid))
        add_thread(tid);
    return shared.trouble == NULL;
}

static void add_threads(int dir)
{
    if (shared.trouble == NULL)
        mprt_os_visit_numbers(dir, add_unknown, NULL);
}

/* Updates the state of all threads. Returns whether one still runs. */
static bool look_at_threads(void)
{
    bool runs = false;

    for (uint32_t i = 0; i < shared.count; i++) {
        struct mprt_stopped_thread *const t = &shared.threads[i];
        if (t->state != MPRT_OS_TRACED_RUNS)
            continue;
        t->state = (uint32_t)mprt_os_trace_look(t->tid, &t->signal);
        runs |= t->state == MPRT_OS_TRACED_RUNS;
        if (t->state == MPRT_OS_TRACED_STANDS &&
            mprt_os_trace_registers(t->tid, t->registers,
                                    sizeof(t->registers)) < 0)
            t->state = MPRT_OS_TRACED_ENDED;
    }
    return runs;
}

static void wait_for_threads(uint64_t end_ns)
{
    _Atomic uint32_t nobody = 0;

    while (look_at_threads()) {
        if (mprt_os_monotonic_ns() >= end_ns) {
            shared.trouble = slow;
            return;
        }
        mprt_os_sleep_on(&nobody, 0, NAP_NS);
    }
}

/* Opens the list of threads. Returns -1 if /proc shows another namespace than
 * this process's, because its numbers are then of no use. */
static int open_tasks(void)
{
    char path[64] = {0};
    struct mprt_textbuf t = {.out = path, .size = sizeof(path)};
    uint32_t pid;

    if (mprt_os_readlink("/proc/self", path, sizeof(path) - 1) <= 0 ||
        !mprt_os_is_number(path, &pid) || pid != (uint32_t)mprt_os_pid())
        return -1;
    MPRT_TEXT(&t, "/proc/", MPRT_DEC(shared.program), "/task");
    return mprt_os_open_read(path);
}

/* Stops all threads. Repeats until there is no new thread, because a thread
 * that still runs may create another. */
static void stop_threads(void)
{
    const uint64_t end_ns = mprt_os_monotonic_ns() + STOP_PATIENCE_NS;
    uint32_t before;

    do {
        const int dir = open_tasks();
        before = shared.count;
        if (dir < 0) {
            shared.trouble = no_proc;
            return;
        }
        add_threads(dir);
        mprt_os_close(dir);
        wait_for_threads(end_ns);
    } while (shared.count != before && shared.trouble == NULL);
}

static void let_threads_go(void)
{
    for (uint32_t i = 0; i < shared.count; i++) {
        const struct mprt_stopped_thread *const t = &shared.threads[i];
        if (t->state == MPRT_OS_TRACED_STANDS)
            mprt_os_trace_end(t->tid, t->signal);
    }
}

static void run(void)
{
    mprt_subprocess_begin(&shared.process);
    mprt_os_at_parent_death(SIGKILL);
    mprt_os_name_process("memprof-leaks");
    mprt_os_handle(SIGSEGV, on_fault);
    mprt_os_handle(SIGBUS, on_fault);
    mprt_os_unblock_only(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS));
    shared.trouble = NULL;
    stop_threads();
    if (shared.trouble == NULL) {
        const struct mprt_stopped_threads stopped = {shared.threads,
                                                     shared.count};
        shared.trouble = broken; /* outcome if it faults */
        shared.look(&stopped, shared.argument);
        shared.trouble = NULL;
    }
    let_threads_go();
    set_phase(PHASE_OVER);
    mprt_os_exit(0);
}

/* -- In the program -------------------------------------------------------- */

uintptr_t
mprt_stopped_threads_stack_pointer(const struct mprt_stopped_thread *t)
{
    return t->registers[STACK_POINTER];
}

uintptr_t
mprt_stopped_threads_thread_pointer(const struct mprt_stopped_thread *t)
{
    return t->registers[THREAD_POINTER];
}

/* Answers the process if it asks to be allowed to trace. Returns true when the
 * process is done. */
static bool attend(uint32_t pid, bool *has_let)
{
    const uint32_t phase = atomic_load(&shared.phase);

    if (phase == PHASE_OVER || atomic_load(&shared.tid) == 0)
        return true;
    if (phase == PHASE_ASKS) {
        mprt_os_let_trace(pid);
        *has_let = true;
        set_phase(PHASE_ANSWERED);
    } else {
        mprt_os_sleep_on(&shared.phase, phase, STEP_NS);
    }
    return false;
}

static void end_process(uint32_t pid)
{
    const uint64_t start_ns = mprt_os_monotonic_ns();
    uint32_t tid;

    while ((tid = atomic_load(&shared.tid)) != 0 &&
           mprt_os_monotonic_ns() - start_ns < END_PATIENCE_NS)
        mprt_os_sleep_on(&shared.tid, tid, STEP_NS);
    mprt_os_reap(pid);
}

const char *mprt_stopped_threads_visit(
    void (*look)(const struct mprt_stopped_threads *stopped, void *argument),
    void *argument, uint64_t patience_ns)
{
    const uint64_t start_ns = mprt_os_monotonic_ns();
    bool has_let = false;

    if (shared.threads == NULL)
        shared.threads =
            mprt_memory_reserve(THREADS_MAX * sizeof(*shared.threads));
    if (shared.threads == NULL)
        return "out of memory";
    shared.count = 0;
    shared.program = mprt_identity_pid();
    shared.caller = mprt_os_tid();
    shared.look = look;
    shared.argument = argument;
    shared.trouble = broken;
    atomic_store(&shared.phase, PHASE_WORKS);
    const int pid =
        mprt_subprocess_start(&shared.process, STACK_BYTES, &shared.tid, run);
    if (pid > 0) {
        while (!attend((uint32_t)pid, &has_let)) {
            if (mprt_os_monotonic_ns() - start_ns < patience_ns)
                continue;
            mprt_os_kill((uint32_t)pid, SIGKILL);
            break;
        }
        end_process((uint32_t)pid);
    }
    if (has_let)
        mprt_os_let_trace(0);
    mprt_os_discard(shared.threads, THREADS_MAX * sizeof(*shared.threads));
    if (pid < 0)
        return "no process can be started";
    return atomic_load(&shared.phase) == PHASE_OVER ? shared.trouble : slow;
}
