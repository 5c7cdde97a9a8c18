/* load.h -- any profile that we read, by its content, into a session's profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LOAD_H
#define MPDATA_LOAD_H

#include "profdata/load/detect.h"
#include "profdata/base/file.h"
#include "profdata/load/symbolize.h"

/* Reads a raw profile of either format. diag->file is not set. Errors: those of
 * the readers; MAGIC with what the file looks like where it is no profile. */
MPROF_NODISCARD enum mprof_err mpdata_load_raw(const uint8_t *data, size_t size,
                                               bool verify_checksums,
                                               struct mpdata_raw_file *raw,
                                               struct mprof_diag *diag);

/* Adds the profile at `path` ("-": standard input) to session->profile. On
 * failure diag->file is set, and the profile holds at most whole dumps of the
 * file. */
MPROF_NODISCARD enum mprof_err mpdata_load(struct mpdata_load_context *session,
                                           const char *path,
                                           bool verify_checksums,
                                           struct mprof_diag *diag);

/* A profile in two steps. The first needs no session, so any number of threads
 * may take it at a time; it cannot fail but in the second. */
struct mpdata_parsed {
    struct mpdata_file file;
    struct mpdata_raw_file raw; /* of a raw profile */
    enum mpdata_kind kind;
    enum mprof_err err;
    struct mprof_diag diag; /* with err */
};

void mpdata_load_parse(struct mpdata_parsed *parsed, const char *path,
                       bool verify_checksums);
void mpdata_load_free(struct mpdata_parsed *parsed);

/* mpdata_load_weighted() of what was parsed, which is used up, but not
 * freed. */
MPROF_NODISCARD enum mprof_err
mpdata_load_parsed(struct mpdata_load_context *session,
                   struct mpdata_parsed *parsed, const char *path,
                   uint64_t weight, bool verify_checksums,
                   struct mprof_diag *diag);

/* As if the file had been loaded `weight` times. */
MPROF_NODISCARD enum mprof_err
mpdata_load_weighted(struct mpdata_load_context *session, const char *path,
                     uint64_t weight, bool verify_checksums,
                     struct mprof_diag *diag);

#endif
