/* pc.h -- a recorded code address.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* If several binaries were mapped at one place in turn, the upper bits say
 * which one (module_history.h). */
#define MPRT_PC_TAG_SHIFT 48
#define MPRT_PC_NO_MODULE UINT64_C(0xffff)
static inline uintptr_t mprt_pc_address(uintptr_t pc)
{
    const unsigned shift = 64 - MPRT_PC_TAG_SHIFT;

    return (uintptr_t)((intptr_t)(pc << shift) >> shift);
}
static inline uint64_t mprt_pc_tag(uintptr_t pc)
{
    /* Addresses of the kernel give a wrong tag, but they are in no binary. */
    return pc >> MPRT_PC_TAG_SHIFT;
}
