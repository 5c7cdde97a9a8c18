/* state.c -- the runtime's state.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/state.h"

_Atomic bool mprt_state_ready;
_Atomic bool mprt_state_running;
_Atomic bool mprt_state_recording;
_Atomic bool mprt_state_other_malloc;

void mprt_state_begin(bool records)
{
    atomic_store_explicit(&mprt_state_running, true, memory_order_relaxed);
    mprt_state_set_recording(records);
    atomic_store_explicit(&mprt_state_ready, true, memory_order_release);
}

void mprt_state_end(void)
{
    mprt_state_set_recording(false);
    atomic_store_explicit(&mprt_state_running, false, memory_order_relaxed);
}
