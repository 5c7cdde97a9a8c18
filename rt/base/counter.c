/* counter.c -- the processor's time stamp counter, and the signal of where it
 * must not be read.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/counter.h"
#include "rt/base/os.h"
#include "rt/base/own_code.h"

#include <signal.h>

/* "rdtsc" and "rdtscp". */
#define CODE_PREFIX 0x0f
#define CODE_RDTSC 0x31
#define CODE_RDTSCP_1 0x01
#define CODE_RDTSCP_2 0xf9

_Atomic bool mprt_counter_lost;

void mprt_counter_init(void)
{
    if (!mprt_os_may_read_counter())
        mprt_counter_lose();
}

void mprt_counter_lose(void)
{
    atomic_store_explicit(&mprt_counter_lost, true, memory_order_relaxed);
    mprt_os_avoid_vdso();
    /* The way of the common case: see mprt_clock_now_in(). */
    if (mprt_thread_local.state != NULL)
        mprt_thread_local.state->conversion.counts = 0;
    atomic_signal_fence(memory_order_seq_cst);
}

static bool is_our_reading(const uint8_t *code)
{
    return mprt_os_is_in_vdso() || mprt_own_code_has((uintptr_t)code);
}

bool mprt_counter_survive(const void *info, void *context)
{
    greg_t *const registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *const code = (const uint8_t *)registers[REG_RIP];

    if (((const siginfo_t *)info)->si_code != SI_KERNEL ||
        !is_our_reading(code) || code[0] != CODE_PREFIX)
        return false;
    if (code[1] == CODE_RDTSC) {
        registers[REG_RIP] += 2;
    } else if (code[1] == CODE_RDTSCP_1 && code[2] == CODE_RDTSCP_2) {
        registers[REG_RIP] += 3;
        registers[REG_RCX] = 0;
    } else {
        return false;
    }
    registers[REG_RAX] = 0;
    registers[REG_RDX] = 0;
    mprt_counter_lose();
    return true;
}
