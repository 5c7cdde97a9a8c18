/* load.h -- any profile that we read, by its content, into the content of a
 * load context.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LOAD_H
#define MPDATA_LOAD_H

#include "profdata/load/parse.h"
#include "profdata/load/symbolize.h"

/* The second step: adds what was parsed, as if the file had been loaded
 * `weight` times, to load->content, or notes it for mpdata_load_waiting(). It
 * is used up, but not freed. On failure diag->file is set, and the content
 * holds at most whole dumps of the file. */
MPROF_NODISCARD enum mprof_err
mpdata_load_parsed(struct mpdata_load_context *load,
                   struct mpdata_parsed *parsed, const char *path,
                   uint64_t weight, struct mprof_diag *diag);

/* Both. */
MPROF_NODISCARD enum mprof_err
mpdata_load_weighted(struct mpdata_load_context *load, const char *path,
                     uint64_t weight, bool verify_checksums,
                     struct mprof_diag *diag);

/* The third step, when all inputs were added: those of several dumps of a run
 * that count (dumps.h). Call it until *is_over; it may fail for one dump and go
 * on with the next. On failure diag->file is set where an input is at fault,
 * valid until the next call. Errors: as mpdata_load_weighted(); OTHER_DUMP,
 * after which nothing more can be added. */
MPROF_NODISCARD enum mprof_err
mpdata_load_waiting(struct mpdata_load_context *load, bool verify_checksums,
                    bool *is_over, struct mprof_diag *diag);
/* The same until it is over or fails. */
MPROF_NODISCARD enum mprof_err
mpdata_load_all_waiting(struct mpdata_load_context *load, bool verify_checksums,
                        struct mprof_diag *diag);

/* Names the file of a program or library that was profiled. Errors: those of
 * mpdata_binaries_add(). */
MPROF_NODISCARD enum mprof_err
mpdata_load_add_binary(struct mpdata_load_context *load, const char *path,
                       struct mprof_diag *diag);

#endif
