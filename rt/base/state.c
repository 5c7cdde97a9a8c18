/* state.c -- the runtime's state.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/state.h"

/* Hooks: until mprt_hooks_init() knows. */
_Atomic uint32_t mprt_state_special = MPRT_STATE_NOT_READY |
                                      MPRT_STATE_NOT_RUNNING |
                                      MPRT_STATE_STOPPED | MPRT_STATE_HOOKS;
_Atomic bool mprt_state_other_malloc;

void mprt_state_begin(bool records)
{
    mprt_state_set_recording(records);
    mprt_state_clear(MPRT_STATE_NOT_RUNNING | MPRT_STATE_NOT_READY);
}

void mprt_state_end(void)
{
    mprt_state_set(MPRT_STATE_STOPPED | MPRT_STATE_NOT_RUNNING);
}
