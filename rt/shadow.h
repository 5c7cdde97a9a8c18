/* shadow.h -- the counters of small blocks, inline. See shadow.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_SHADOW_H
#define MPRT_SHADOW_H

#include "rt/rt.h"

/* Blocks of so many counters are small. */
#define MPRT_SHADOW_FEW 8

extern uintptr_t __memprof_shadow_memory_dynamic_address;

static inline uint64_t *mprt_shadow_counter_of(uintptr_t addr)
{
    return (uint64_t *)(__memprof_shadow_memory_dynamic_address +
                        (mprof_round_down(addr, MPROF_GRANULE_BYTES) >>
                         MPROF_SHADOW_SCALE));
}

/* Counters of the block; size is not 0. */
static inline size_t mprt_shadow_count_of(uintptr_t p, size_t size)
{
    return (p % MPROF_GRANULE_BYTES + size + MPROF_GRANULE_BYTES - 1) /
           MPROF_GRANULE_BYTES;
}

/* mprt_shadow_clear() for a block that is mostly small; size is not 0. */
static inline void mprt_shadow_clear_fast(uintptr_t p, size_t size)
{
    uint64_t *const counters = mprt_shadow_counter_of(p);
    const size_t count = mprt_shadow_count_of(p, size);

    if (MPROF_UNLIKELY(count > MPRT_SHADOW_FEW ||
                       mprt_shadow_mode != MPRT_SHADOW_NORMAL)) {
        mprt_shadow_clear(p, size);
        return;
    }
    for (size_t i = 0; i < count; i++)
        *(volatile uint64_t *)&counters[i] = 0;
}

/* mprt_shadow_sum() likewise. */
static inline uint64_t mprt_shadow_sum_fast(uintptr_t p, size_t size,
                                            bool *saturated)
{
    const uint64_t *const counters = mprt_shadow_counter_of(p);
    const size_t count = mprt_shadow_count_of(p, size);
    uint64_t total = 0;

    if (MPROF_UNLIKELY(count > MPRT_SHADOW_FEW ||
                       mprt_shadow_mode != MPRT_SHADOW_NORMAL))
        return mprt_shadow_sum(p, size, saturated);
    *saturated = false;
    for (size_t i = 0; i < count; i++)
        total += *(const volatile uint64_t *)&counters[i];
    return total;
}

#endif
