/* load.h -- loads an input of any kind, detected by content, into the content
 * of a load context.
 *
 * Step 1 (parse.h) parses a file and needs no load context. Step 2 adds it to
 * the content. Step 3 adds the pending dumps when all inputs were read.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/load/inputs.h"
#include "profdata/load/parse.h"
#include "profdata/load/symbolize.h"

/* Step 2: adds a parsed file, and the profiles that follow in it, to
 * load->content with a weight. Dumps that may
 * have siblings stay pending for mpdata_load_pending(). Consumes *parsed; the
 * caller still calls mpdata_parse_free(). On failure diag->file is set, and the
 * content holds complete dumps of the file at most. */
MPROF_NODISCARD enum mprof_err
mpdata_load_parsed(struct mpdata_load_context *load,
                   struct mpdata_parsed *parsed, const char *path,
                   uint64_t weight, struct mprof_diag *diag);

/* Steps 1 and 2 for one file. */
MPROF_NODISCARD enum mprof_err
mpdata_load_weighted(struct mpdata_load_context *load, const char *path,
                     uint64_t weight, bool verify_checksums,
                     struct mprof_diag *diag);

/* Step 3, after all inputs were added: adds one pending dump that counts
 * (dumps.h). Call it until *is_over. After a failure for one dump the next call
 * goes on with the next one. On failure diag->file names the input at fault, if
 * any; valid until the next call. Errors: those of mpdata_load_weighted();
 * OTHER_DUMP, after which nothing more can be added. */
MPROF_NODISCARD enum mprof_err
mpdata_load_pending(struct mpdata_load_context *load, bool verify_checksums,
                    bool *is_over, struct mprof_diag *diag);
/* Step 3 for all pending dumps; stops at the first failure. */
MPROF_NODISCARD enum mprof_err
mpdata_load_all_pending(struct mpdata_load_context *load, bool verify_checksums,
                        struct mprof_diag *diag);

/* Adds the file of a program or library that was profiled. Errors: those of
 * mpdata_binaries_add(). */
MPROF_NODISCARD enum mprof_err
mpdata_load_add_binary(struct mpdata_load_context *load, const char *path,
                       struct mprof_diag *diag);

/* Adds all inputs to load->content and brings its profile into canonical order.
 * Stops at the first input that cannot be used; skips files in directories that
 * are not profiles. Errors: those of mpdata_load_weighted(), with diag->file
 * valid until mpdata_inputs_fini(); EMPTY without a file if no input is a
 * profile. */
MPROF_NODISCARD enum mprof_err
mpdata_load_all(struct mpdata_load_context *load,
                const struct mpdata_inputs *inputs, bool verify_checksums,
                struct mprof_diag *diag);
