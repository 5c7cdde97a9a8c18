/* pairing_calls.h -- the calls in a function before and after it was edited.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAIRING_CALLS_H
#define MPDATA_PAIRING_CALLS_H

#include "shared/err.h"

/* That a site's call is to malloc and its kin. */
#define MPDATA_SITE_ALLOCATES UINT32_MAX

/* A call in a function. */
struct mpdata_site {
    uint32_t function;
    uint32_t callee;
    uint64_t place; /* line from the function's first on, or address */
    uint32_t column;
    uint32_t number; /* what mpdata_pairing_calls() finds */
    uint64_t blocks; /* of what was allocated below */
    uint64_t bytes;
};

/* Gives all sites of both profiles their numbers, from 0 on: equal ones where
 * they are the same, as pairing.h says; *count says how many there are. No two
 * sites of one profile are equal. runs: what a profile's numbers are to be
 * divided by. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_calls(struct mpdata_site *const sites[2],
                     const uint32_t counts[2], const uint64_t runs[2],
                     uint32_t *count);

#endif
