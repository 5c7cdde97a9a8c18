/* load_all.h -- loads all inputs of a command into one profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LOAD_ALL_H
#define MPDATA_LOAD_ALL_H

#include "profdata/load/inputs.h"
#include "profdata/load/load.h"

/* Adds all inputs to load->content and brings its profile into canonical order.
 * Stops at the first input that cannot be used; skips files in directories that
 * are not profiles. Errors: those of mpdata_load_weighted(), with diag->file
 * valid until mpdata_inputs_fini(); EMPTY without a file if no input is a
 * profile. */
MPROF_NODISCARD enum mprof_err
mpdata_load_all(struct mpdata_load_context *load,
                const struct mpdata_inputs *inputs, bool verify_checksums,
                struct mprof_diag *diag);

#endif
