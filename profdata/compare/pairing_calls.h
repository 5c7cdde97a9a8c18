/* pairing_calls.h -- pairs the call sites of a function before and after it was
 * edited.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/err.h"

/* Callee of a call site that allocates. */
#define MPDATA_SITE_ALLOCATES UINT32_MAX

/* A call site. */
struct mpdata_site {
    uint32_t function;
    uint32_t callee;
    uint64_t offset; /* line relative to the function's first, or address */
    uint32_t column;
    uint32_t number; /* result of mpdata_pairing_calls() */
    uint64_t blocks; /* allocated below the call site */
    uint64_t bytes;
};

/* Numbers the sites of both profiles from 0, with equal numbers for the same
 * site by the rules of pairing.h, of one build or of two. Sets *count to the
 * number of different sites. The sites of one profile must be distinct. runs:
 * divisors of the amounts. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_calls(struct mpdata_site *const sites[2],
                     const uint32_t counts[2], const uint64_t runs[2],
                     bool is_one_build, uint32_t *count);
