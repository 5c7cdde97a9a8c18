/* event_details.h -- sums of blocks by call stack, kind and key, which become
 * details of the call stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/set.h"

struct mpdata_event_detail {
    uint32_t row; /* of the caller's */
    uint32_t kind;
    uint32_t key;
    uint32_t zero;
    uint64_t count;
    uint64_t bytes;
};

struct mpdata_event_details {
    struct mpdata_set sums; /* struct mpdata_event_detail */
    uint32_t at;            /* how many were put */
};

void mpdata_event_details_init(struct mpdata_event_details *details);
/* False without memory. */
bool mpdata_event_details_add(struct mpdata_event_details *details,
                              const struct mpdata_event_detail *detail);
/* Adds the number of each row, from 1 on, as MPDATA_DETAIL_LOG_STACK. False
 * without memory. */
bool mpdata_event_details_number(struct mpdata_event_details *details,
                                 uint32_t rows);
/* After the last one. */
void mpdata_event_details_order(struct mpdata_event_details *details);
/* After that, for ascending rows: appends those of the row to a vector of
 * struct mpdata_detail. False without memory. */
bool mpdata_event_details_put(struct mpdata_event_details *details,
                              uint32_t row, struct mpdata_vec *to);
void mpdata_event_details_fini(struct mpdata_event_details *details);
