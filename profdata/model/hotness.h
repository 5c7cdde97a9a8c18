/* hotness.h -- LLVM's default rule for cold call stacks: blocks live long and
 * are hardly accessed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/mib.h"

/* LLVM's defaults: an average lifetime of at least 200 s and fewer than 5
 * accesses per 100 bytes and second. */
#define MPDATA_HOTNESS_COLD_LIFETIME_MS 200000.0F
#define MPDATA_HOTNESS_COLD_DENSITY 0.05F

static inline bool mpdata_hotness_is_cold(const struct mprof_mib *mib)
{
    const float count = (float)mprof_max_u64(mib->AllocCount, 1);

    return mib->UnseenCount == 0 &&
           (float)mib->TotalLifetimeAccessDensity / count / 100 <
               MPDATA_HOTNESS_COLD_DENSITY &&
           (float)mib->TotalLifetime / count >= MPDATA_HOTNESS_COLD_LIFETIME_MS;
}
