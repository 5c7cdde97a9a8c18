/* load_all.h -- all inputs of a command into one profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LOAD_ALL_H
#define MPDATA_LOAD_ALL_H

#include "profdata/load/inputs.h"
#include "profdata/load/load.h"

/* Adds all inputs to load->content, and brings its profile into canonical
 * order. The first that cannot be used ends it; in directories there may be
 * files that are no profiles. Errors: as mpdata_load_weighted(), with
 * diag->file, valid until the inputs' end; EMPTY without a file where there is
 * no profile among them. */
MPROF_NODISCARD enum mprof_err
mpdata_load_all(struct mpdata_load_context *load,
                const struct mpdata_inputs *inputs, bool verify_checksums,
                struct mprof_diag *diag);

#endif
