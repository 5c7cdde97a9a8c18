/* output.h -- an output file that is built in memory piece by piece.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"

struct mpdata_output {
    struct mprof_buf buf; /* bytes appended so far */
    const char *path;     /* borrowed */
    /* For bytes that a sink sent to a stream: */
    int stream_fd; /* descriptor of a named stream; -1: not open */
    uint64_t sent_bytes;
    struct mprof_diag sent; /* sent.err: error of sending, or OK */
};

/* For a file that mpdata_output_finish() will write; opens nothing yet. */
void mpdata_output_init(struct mpdata_output *output, const char *path);

/* Returns a sink that appends. Bytes for a stream (mpdata_file_is_stream()) are
 * written in large pieces, so the whole output is never in memory and no byte
 * may be patched. */
struct mpdata_sink mpdata_output_sink(struct mpdata_output *output);

/* Fills *diag with the error of sending bytes to a stream, or else with `err`.
 * Returns the error. */
enum mprof_err mpdata_output_fail(const struct mpdata_output *output,
                                  enum mprof_err err, struct mprof_diag *diag);

/* Writes the appended bytes as mpdata_file_write() does. */
MPROF_NODISCARD enum mprof_err
mpdata_output_finish(struct mpdata_output *output, struct mprof_diag *diag);

/* Required after finish, too; without finish, the bytes are dropped. */
void mpdata_output_fini(struct mpdata_output *output);
