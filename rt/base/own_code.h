/* own_code.h -- the address range of the runtime's code.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* The linker defines the bounds of the section with all of our code
 * (rt/build.mk). Weak, because unit tests have no such section. */
#define MPRT_OWN_CODE __attribute__((weak, visibility("hidden")))
extern const char mprt_own_code[] __asm__("__start_mprt_text") MPRT_OWN_CODE;
extern const char mprt_own_code_end[] __asm__("__stop_mprt_text") MPRT_OWN_CODE;

static inline bool mprt_own_code_has(uintptr_t pc)
{
    return pc - (uintptr_t)mprt_own_code <
           (uintptr_t)mprt_own_code_end - (uintptr_t)mprt_own_code;
}
