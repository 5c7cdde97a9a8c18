/* os_thread.c -- threads and processes: ids and names, starting, tracing,
 * ending, sleeping, stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os_call.h"
#include "rt/base/sandbox.h"

#include <linux/futex.h>
#include <time.h>

/* From <sched.h>, <linux/prctl.h> and <linux/wait.h>. */
#define SHARE_MEMORY 0x00000100    /* CLONE_VM */
#define SHARE_DIRECTORY 0x00000200 /* CLONE_FS */
#define SET_TLS 0x00080000         /* CLONE_SETTLS */
#define CLEAR_TID 0x00200000       /* CLONE_CHILD_CLEARTID */
#define SET_TID 0x00100000         /* CLONE_PARENT_SETTID */
#define DEATH_SIGNAL 1             /* PR_SET_PDEATHSIG */
#define PROCESS_NAME 15            /* PR_SET_NAME */
#define THREAD_NAME 16             /* PR_GET_NAME */
#define LET_TRACE 0x59616d61       /* PR_SET_PTRACER */
#define WAIT_ALL 0x40000000        /* __WALL */
#define WAIT_NOT 1                 /* WNOHANG */

/* From <linux/ptrace.h>; register sets from <linux/elf.h>. */
#define TRACE_DETACH 17          /* PTRACE_DETACH */
#define TRACE_REGISTERS 0x4204   /* PTRACE_GETREGSET */
#define TRACE_SEIZE 0x4206       /* PTRACE_SEIZE */
#define TRACE_INTERRUPT 0x4207   /* PTRACE_INTERRUPT */
#define REGISTERS_GENERAL 1      /* NT_PRSTATUS */
#define REGISTERS_EXTENDED 0x202 /* NT_X86_XSTATE */

uint32_t mprt_os_pid(void)
{
    return (uint32_t)call4(SYS_getpid, 0, 0, 0, 0);
}

uint32_t mprt_os_tid(void)
{
    return (uint32_t)call4(SYS_gettid, 0, 0, 0, 0);
}

void mprt_os_thread_name(char name[MPRT_THREADNAME_BYTES])
{
    call4(SYS_prctl, THREAD_NAME, (uintptr_t)name, 0, 0);
}

void mprt_os_yield(void)
{
    call4(SYS_sched_yield, 0, 0, 0, 0);
}

/* -- processes ------------------------------------------------------------- */

int mprt_os_spawn(void *stack_top, void *tls, _Atomic uint32_t *tid,
                  void (*function)(void))
{
    /* No exit signal, so that the program's wait() does not see the process. */
    const uint64_t flags =
        SHARE_MEMORY | SHARE_DIRECTORY | SET_TLS | CLEAR_TID | SET_TID;
    const struct mprt_sandbox_call call = {SYS_clone, {flags}};

    if (mprt_sandbox_is_there() && !mprt_sandbox_allows(&call))
        return ERROR_NO_SYSCALL;
    register uint64_t r10 __asm__("r10") = (uintptr_t)tid;
    register uint64_t r8 __asm__("r8") = (uintptr_t)tls;
    register void (*r9)(void) __asm__("r9") = function;
    int64_t result;

    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "callq *%%r9\n\t"
                     "hlt\n"
                     "1:"
                     : "=a"(result)
                     : "a"((uint64_t)SYS_clone), "D"(flags), "S"(stack_top),
                       "d"(tid), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return (int)result;
}

uint32_t mprt_os_parent_pid(void)
{
    return (uint32_t)call4(SYS_getppid, 0, 0, 0, 0);
}

void mprt_os_at_parent_death(int number)
{
    call4(SYS_prctl, DEATH_SIGNAL, (uint64_t)number, 0, 0);
}

void mprt_os_name_process(const char *name)
{
    call4(SYS_prctl, PROCESS_NAME, (uintptr_t)name, 0, 0);
}

void mprt_os_kill(uint32_t pid, int number)
{
    call4(SYS_kill, pid, (uint64_t)number, 0, 0);
}

void mprt_os_reap(uint32_t pid)
{
    while (call4(SYS_wait4, pid, 0, WAIT_ALL, 0) == ERROR_INTERRUPTED)
        continue;
}

/* -- tracing --------------------------------------------------------------- */

int mprt_os_trace(uint32_t tid)
{
    const int64_t result = call4(SYS_ptrace, TRACE_SEIZE, tid, 0, 0);

    return (int)(is_error(result)
                     ? result
                     : call4(SYS_ptrace, TRACE_INTERRUPT, tid, 0, 0));
}

enum mprt_os_traced mprt_os_trace_look(uint32_t tid, int *signal)
{
    int status = 0;
    int64_t result;

    *signal = 0;
    do {
        result =
            call4(SYS_wait4, tid, (uintptr_t)&status, WAIT_ALL | WAIT_NOT, 0);
    } while (result == ERROR_INTERRUPTED);
    if (result == 0)
        return MPRT_OS_TRACED_RUNS;
    if (is_error(result) || (status & 0xff) != 0x7f)
        return MPRT_OS_TRACED_ENDED;
    /* The thread stopped for a signal before it stopped for our request. */
    if (status >> 16 == 0)
        *signal = status >> 8 & 0xff;
    return MPRT_OS_TRACED_STANDS;
}

static int64_t read_registers(uint32_t tid, uint64_t set, void *out,
                              size_t size)
{
    struct {
        void *data;
        size_t bytes;
    } place = {out, size};
    const int64_t result =
        call4(SYS_ptrace, TRACE_REGISTERS, tid, set, (uintptr_t)&place);

    return is_error(result) ? result : (int64_t)place.bytes;
}

int64_t mprt_os_trace_registers(uint32_t tid, void *out, size_t size)
{
    return read_registers(tid, REGISTERS_GENERAL, out, size);
}

int64_t mprt_os_trace_more_registers(uint32_t tid, void *out, size_t size)
{
    return read_registers(tid, REGISTERS_EXTENDED, out, size);
}

void mprt_os_trace_end(uint32_t tid, int signal)
{
    call4(SYS_ptrace, TRACE_DETACH, tid, 0, (uint64_t)signal);
}

void mprt_os_let_trace(uint32_t pid)
{
    call4(SYS_prctl, LET_TRACE, pid, 0, 0);
}

/* -- sleeping -------------------------------------------------------------- */

static void sleep_on(_Atomic uint32_t *word, int operation, uint32_t seen,
                     uint64_t ns)
{
    const struct timespec timeout = {.tv_sec = (time_t)(ns / NS_PER_S),
                                     .tv_nsec = (long)(ns % NS_PER_S)};

    mprt_os_call(SYS_futex, (uintptr_t)word, (uint64_t)operation, seen,
                 ns != UINT64_MAX ? (uintptr_t)&timeout : 0, 0, 0);
}

void mprt_os_sleep_on(_Atomic uint32_t *word, uint32_t seen, uint64_t ns)
{
    sleep_on(word, FUTEX_WAIT, seen, ns);
}

void mprt_os_wake(_Atomic uint32_t *word)
{
    mprt_os_call(SYS_futex, (uintptr_t)word, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

void mprt_os_sleep_privately(_Atomic uint32_t *word, uint32_t seen, uint64_t ns)
{
    sleep_on(word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, seen, ns);
}

void mprt_os_wake_one(_Atomic uint32_t *word)
{
    mprt_os_call(SYS_futex, (uintptr_t)word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1,
                 0, 0, 0);
}

/* -- stacks ---------------------------------------------------------------- */

void mprt_os_call_on(void *top, void (*function)(void *argument),
                     void *argument)
{
    __asm__ volatile(
        "movq %%rsp, %%rbx\n\t"
        "movq %[top], %%rsp\n\t"
        "callq *%[function]\n\t"
        "movq %%rbx, %%rsp"
        : "+D"(argument), [function] "+a"(function), [top] "+d"(top)
        :
        : "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2",
          "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
          "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}
