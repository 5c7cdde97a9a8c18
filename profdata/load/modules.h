/* modules.h -- finds the file on this machine for each binary that a dump
 * lists.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/symbols/binaries.h"
#include "profdata/base/diag.h"
#include "profdata/raw/raw.h"

/* What the loader knows of a binary that a dump lists. */
struct mpdata_module {
    uint32_t binary_ref; /* index into binaries->files + 1; 0: not found */
    bool is_used;        /* a frame lies in the binary */
    uint64_t blocks;     /* blocks allocated by the binary's own code */
    const char *problem; /* why the file was found but is unusable; a literal */
};

/* Finds the file of each binary of a dump: by build id among the files that the
 * user gave, else (our format only) at the recorded path if the build id
 * matches. Corrects the addresses of an LLVM dump by the file's program
 * headers. Calls `warn` for a binary without a file if names get lost. Sets
 * (*modules)[i] for raw->modules[i]; the caller frees *modules with free().
 * Errors: BUILD_ID, NO_BINARY, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_modules_resolve(struct mpdata_binaries *binaries, struct mpdata_raw *raw,
                       const char *file, const struct mpdata_diag_warn *warn,
                       struct mpdata_module **modules, struct mprof_diag *diag);

/* Like mpdata_modules_resolve(), but opens no file: no binary is found. Error:
 * NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_modules_leave(const struct mpdata_raw *raw,
                     struct mpdata_module **modules, struct mprof_diag *diag);
