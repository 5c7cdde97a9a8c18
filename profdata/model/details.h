/* details.h -- the details of one call stack of a profile that is in its order
 * (shared/detail.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DETAILS_H
#define MPDATA_DETAILS_H

#include "profdata/model/profile.h"

/* Rows of view->details. */
struct mpdata_details {
    const struct mpdata_detail *rows;
    uint32_t count;
};

/* Those of a kind. Of buckets use the next function. */
struct mpdata_details mpdata_details_of(const struct mpdata_view *view,
                                        const struct mpdata_context *context,
                                        uint32_t kind);

/* Blocks by bucket; returns how many they are, which is fewer than the MIB's
 * where some were not measured, and 0 where nothing is known. */
uint64_t mpdata_details_buckets(const struct mpdata_view *view,
                                const struct mpdata_context *context,
                                uint32_t kind,
                                uint64_t counts[MPROF_DETAIL_BUCKETS]);

#endif
