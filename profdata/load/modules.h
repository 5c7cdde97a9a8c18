/* modules.h -- which file on this machine is which module of a dump.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_MODULES_H
#define MPDATA_MODULES_H

#include "profdata/symbols/binaries.h"
#include "profdata/base/diag.h"
#include "profdata/raw/raw.h"

/* What is known of a module of a dump. */
struct mpdata_module {
    uint32_t binary_ref; /* into binaries->files, + 1; 0: not found */
    bool is_used;        /* a frame lies in it */
    uint64_t blocks;     /* that its own code allocated */
    const char *problem; /* literal: why a file that is there cannot be used */
};

/* Finds the binary of each module: by build id among those that the user gave,
 * else (our format) at its path, if the build id is the same. Moves the
 * addresses of an LLVM dump to where the binary's program headers say. Modules
 * without a binary are reported to `warn`, if that loses something.
 * (*modules)[i] is for raw->modules[i], freed with free(). Errors: BUILD_ID,
 * NO_BINARY, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_modules_resolve(struct mpdata_binaries *binaries, struct mpdata_raw *raw,
                       const char *file, const struct mpdata_diag_warn *warn,
                       struct mpdata_module **modules, struct mprof_diag *diag);

/* The same without a look at any file: no module has a binary. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_modules_leave(const struct mpdata_raw *raw,
                     struct mpdata_module **modules, struct mprof_diag *diag);

#endif
