/* os_signal.c -- signal masks, handlers, and signals to this thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os_call.h"

#include <signal.h>

#define SIGNALS_BLOCK 0 /* SIG_BLOCK */
#define SIGNALS_UNBLOCK 1
#define SIGNALS_SET 2               /* SIG_SETMASK */
#define HANDLER_RESTORES 0x04000000 /* SA_RESTORER */

uint64_t mprt_os_block_signals(void)
{
    const uint64_t all = UINT64_MAX;
    uint64_t before = 0;

    call4(SYS_rt_sigprocmask, SIGNALS_SET, (uintptr_t)&all, (uintptr_t)&before,
          sizeof(all));
    return before;
}

uint64_t mprt_os_block_other_signals(void)
{
    const uint64_t others =
        ~(mprt_os_signal_bit(SIGSEGV) | mprt_os_signal_bit(SIGBUS) |
          mprt_os_signal_bit(SIGFPE) | mprt_os_signal_bit(SIGILL) |
          mprt_os_signal_bit(SIGTRAP));
    uint64_t before = 0;

    call4(SYS_rt_sigprocmask, SIGNALS_SET, (uintptr_t)&others,
          (uintptr_t)&before, sizeof(others));
    return before;
}

uint64_t mprt_os_change_signals(bool blocks, uint64_t signals)
{
    uint64_t before = 0;

    call4(SYS_rt_sigprocmask, blocks ? SIGNALS_BLOCK : SIGNALS_UNBLOCK,
          (uintptr_t)&signals, (uintptr_t)&before, sizeof(signals));
    return before;
}

void mprt_os_restore_signals(uint64_t before)
{
    call4(SYS_rt_sigprocmask, SIGNALS_SET, (uintptr_t)&before, 0,
          sizeof(before));
}

bool mprt_os_raise(int number, void *siginfo)
{
    const uint32_t pid = mprt_os_pid();
    const uint32_t tid = mprt_os_tid();

    return !is_error(call4(SYS_rt_tgsigqueueinfo, pid, tid, (uint64_t)number,
                           (uintptr_t)siginfo)) ||
           !is_error(call4(SYS_tgkill, pid, tid, (uint64_t)number, 0));
}

int mprt_os_signal_stack(const void *stack, void *before)
{
    return (int)call4(SYS_sigaltstack, (uintptr_t)stack, (uintptr_t)before, 0,
                      0);
}

/* Where a handler returns to: calls rt_sigreturn. The name is local to the
 * assembler. */
void restore_context(void);
__asm__(".text\n"
        ".type restore_context, @function\n"
        "restore_context:\n"
        "    movq $15, %rax\n"
        "    syscall\n"
        ".size restore_context, . - restore_context\n");

/* The kernel's layout of a signal action. */
struct action {
    void (*handler)(int number);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

void mprt_os_handle(int number, void (*handler)(int number))
{
    const struct action action = {handler, HANDLER_RESTORES | SA_NODEFER,
                                  restore_context, 0};

    call4(SYS_rt_sigaction, (uint64_t)number, (uintptr_t)&action, 0,
          sizeof(action.mask));
}

bool mprt_os_set_default(int number)
{
    static const struct action action;

    return !is_error(call4(SYS_rt_sigaction, (uint64_t)number,
                           (uintptr_t)&action, 0, sizeof(action.mask)));
}
