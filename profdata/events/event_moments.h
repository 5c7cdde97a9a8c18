/* event_moments.h -- a bounded number of moments of a log, and for each call
 * stack how many blocks lived from which moment to which: so the heap at each
 * moment, and what was allocated between two and alive at the second one, are
 * exact sums.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/events/event_details.h"
#include "shared/err.h"

/* Sums beyond this number halve the number of moments. */
#define MPDATA_EVENT_MOMENTS_SUMS 1048576u

/* Starts zeroed. */
struct mpdata_event_moments {
    uint64_t *ns;  /* ascending, owned; NULL: no log was read */
    bool *is_kept; /* start, end, peak, and named ones outlive the others */
    uint32_t count;
    struct mpdata_event_details sums; /* to be ordered and put */
};

/* Chooses moments: equal parts of the time and of the allocations, the peak and
 * what the program named. Error: NOMEM. Damage is no error. */
MPROF_NODISCARD enum mprof_err
mpdata_event_moments_find(struct mpdata_event_moments *moments,
                          const uint8_t *data, size_t size,
                          struct mprof_diag *diag);
/* Adds a block, or those that it stands for, of a row of the caller's. end_ns:
 * UINT64_MAX if it did not end. False without memory. */
bool mpdata_event_moments_add(struct mpdata_event_moments *moments,
                              uint32_t row, uint64_t birth_ns, uint64_t end_ns,
                              uint32_t blocks, uint64_t bytes);
void mpdata_event_moments_fini(struct mpdata_event_moments *moments);
