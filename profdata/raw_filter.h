/* raw_filter.h -- which call stacks of a raw profile are wanted. Asked before
 * symbolizing, because only addresses say which binary they are in.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_RAW_FILTER_H
#define MPDATA_RAW_FILTER_H

#include "profdata/raw.h"

/* Keeps call stacks with a frame in a module for which fits() is true, and
 * counts. */
struct mpdata_raw_filter {
    bool (*fits)(void *context, const struct mpdata_raw_module *module);
    void *context;
    uint64_t contexts; /* asked about so far */
    uint64_t bytes;    /* that they allocated */
    uint64_t gone_contexts;
    uint64_t gone_bytes;
};

/* Takes the other contexts out of *raw. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_filter(struct mpdata_raw *raw, struct mpdata_raw_filter *filter);

#endif
