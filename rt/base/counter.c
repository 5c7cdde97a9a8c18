/* counter.c -- the processor's time stamp counter.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/counter.h"
#include "rt/base/os.h"

_Atomic bool mprt_counter_lost;

void mprt_counter_init(void)
{
    if (!mprt_os_may_read_counter())
        mprt_counter_lose();
}

void mprt_counter_lose(void)
{
    MPRT_STORE(mprt_counter_lost, true);
    mprt_os_use_vdso(0);
    /* Keeps mprt_clock_now_in() from reading the counter. */
    if (mprt_thread_local.state != NULL)
        mprt_thread_local.state->conversion.counts = 0;
    atomic_signal_fence(memory_order_seq_cst);
}
