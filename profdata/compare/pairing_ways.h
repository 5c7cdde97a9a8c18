/* pairing_ways.h -- call stacks of two profiles as ways through one tree.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAIRING_WAYS_H
#define MPDATA_PAIRING_WAYS_H

#include "profdata/model/profile.h"

/* A canonical profile, and what its call stacks are made of: numbers of calls
 * that both profiles share. */
struct mpdata_pairing_ways_side {
    const struct mpdata_view *view;
    const uint32_t
        *calls; /* by node: the call that leads to it, or
                   MPDATA_PAIRING_WAYS_START: call stacks begin here */
    /* By context: the call that allocates, which is none that leads to a node.
     * Becomes the number of its call stack; equal ones are of the same calls.
     * UINT32_MAX where nothing is known. */
    uint32_t *stacks;
};

#define MPDATA_PAIRING_WAYS_START UINT32_MAX

/* call_count: calls have smaller numbers. *stack_count: so do call stacks. Time
 * and memory grow with the profiles. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_ways_number(const struct mpdata_pairing_ways_side sides[2],
                           uint32_t call_count, uint32_t *stack_count);

#endif
