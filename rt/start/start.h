/* entry.h -- the test that every interface function begins with.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_ENTRY_H
#define MPRT_ENTRY_H

#include "rt/base/rt.h"

extern _Atomic bool mprt_is_ready;
void mprt_init_slow(void);

static inline void mprt_init_fast(void)
{
    /* Pairs with the release at the end of mprt_init_slow(). */
    if (MPROF_UNLIKELY(
            !atomic_load_explicit(&mprt_is_ready, memory_order_acquire)))
        mprt_init_slow();
}

#endif
