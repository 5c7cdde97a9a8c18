/* output.h -- a file that is made piece by piece, in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_OUTPUT_H
#define MPDATA_OUTPUT_H

#include "profdata/base/sink.h"

struct mpdata_output {
    struct mprof_buf buf; /* what is appended to */
    const char *path;     /* borrowed */
    /* Of what a sink took to a stream: */
    int stream_fd; /* of one with a name; -1: not opened */
    uint64_t sent_bytes;
    struct mprof_diag sent; /* sent.err: whether it could */
};

/* For the file that mpdata_output_finish() will write. Nothing is opened yet.
 */
void mpdata_output_init(struct mpdata_output *output, const char *path);

/* A sink that appends. What goes to a stream (mpdata_file_is_stream()) is
 * written whenever there is much of it, so the output is never in memory as a
 * whole; nothing may be patched. */
struct mpdata_sink mpdata_output_sink(struct mpdata_output *output);

/* Says in *diag why what is to be written could not be made: `err`, or what
 * became of a sink's bytes. Returns that error. */
enum mprof_err mpdata_output_fail(const struct mpdata_output *output,
                                  enum mprof_err err, struct mprof_diag *diag);

/* As mpdata_file_write() of what was appended. */
MPROF_NODISCARD enum mprof_err
mpdata_output_finish(struct mpdata_output *output, struct mprof_diag *diag);

/* Due after finish, too; without that, nothing is left of it. */
void mpdata_output_fini(struct mpdata_output *output);

#endif
