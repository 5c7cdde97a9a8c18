/* load.h -- any profile that we read, by its content, into the content of a
 * load context.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LOAD_H
#define MPDATA_LOAD_H

#include "profdata/base/file.h"
#include "profdata/index/index_file.h"
#include "profdata/load/detect.h"
#include "profdata/load/symbolize.h"

/* A profile on the way: its bytes, what it is, and what was found out so far.
 * What a file is, is asked once; an indexed file's directory is read and LLVM's
 * part verified once. */
struct mpdata_parsed {
    struct mpdata_file file;
    enum mpdata_kind kind;
    struct mpdata_raw_file raw;     /* of a raw profile */
    struct mpdata_index_file index; /* of an indexed one */
    enum mprof_err err;
    struct mprof_diag diag; /* with err */
};

/* The first step, for which any number of threads may be at work: opens the
 * file at `path` ("-": standard input), unpacks it, and parses it as far as
 * that needs no load context. It fails in parsed->err: as the readers do; MAGIC
 * with what the file looks like where it is no profile. */
void mpdata_load_parse(struct mpdata_parsed *parsed, const char *path,
                       bool verify_checksums);
void mpdata_load_free(struct mpdata_parsed *parsed);

/* The second step: adds what was parsed, as if the file had been loaded
 * `weight` times, to load->content. It is used up, but not freed. On failure
 * diag->file is set, and the content holds at most whole dumps of the file. */
MPROF_NODISCARD enum mprof_err
mpdata_load_parsed(struct mpdata_load_context *load,
                   struct mpdata_parsed *parsed, const char *path,
                   uint64_t weight, struct mprof_diag *diag);

/* Both. */
MPROF_NODISCARD enum mprof_err
mpdata_load_weighted(struct mpdata_load_context *load, const char *path,
                     uint64_t weight, bool verify_checksums,
                     struct mprof_diag *diag);

/* Names the file of a program or library that was profiled. Errors: those of
 * mpdata_binaries_add(). */
MPROF_NODISCARD enum mprof_err
mpdata_load_add_binary(struct mpdata_load_context *load, const char *path,
                       struct mprof_diag *diag);

#endif
