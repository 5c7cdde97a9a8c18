/* decay.h -- weights of inputs by their age.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/load/inputs.h"

/* The weight of an input as new as the newest. A power of two, so that it can
 * be halved; larger ones let LLVM's 32-bit counts overflow earlier. */
#define MPDATA_DECAY_WEIGHT 64u

/* Multiplies the weight of each input by MPDATA_DECAY_WEIGHT, halved for each
 * half_life_ns (not 0) that its newest run started before the newest run of all
 * inputs, and rounded. Removes inputs whose weight becomes 0; *removed is their
 * number. Call it after mpdata_inputs_dedupe(). Reads all inputs; those that
 * cannot be read keep their weight, for whoever reads them next to say why.
 * Errors: UNSUPPORTED if an input does not say when it started, with diag->file
 * valid until mpdata_inputs_fini(); NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_decay(struct mpdata_inputs *inputs, uint64_t half_life_ns,
             bool verify_checksums, uint32_t *removed, struct mprof_diag *diag);
