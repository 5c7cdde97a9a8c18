/* details.h -- distributions of one call stack in a canonical profile
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

/* Distributions of a kind. For buckets use mpdata_details_buckets(). */
struct mpdata_details mpdata_details_of(const struct mpdata_view *view,
                                        const struct mpdata_context *context,
                                        uint32_t kind);

/* Fills counts[] with blocks by bucket; returns their sum. The sum is below the
 * MIB's blocks if some were not measured, and 0 if nothing is known. */
uint64_t mpdata_details_buckets(const struct mpdata_view *view,
                                const struct mpdata_context *context,
                                uint32_t kind,
                                uint64_t counts[MPROF_DETAIL_BUCKETS]);

#endif
