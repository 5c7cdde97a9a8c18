/* sink.h -- where text goes that is made piece by piece: a file, a buffer, a
 * terminal, as the caller has it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SINK_H
#define MPDATA_SINK_H

#include "shared/buf.h"
#include "shared/err.h"

/* Takes bytes; false where it cannot, after which it is not called any more. */
typedef bool mpdata_sink_fn(void *context, const char *bytes, size_t size);

struct mpdata_sink {
    mpdata_sink_fn *write;
    void *context;
    bool is_used; /* something was to be written */
    bool failed;  /* something was not written; sticky */
};

/* A sink that appends to a buffer, which is borrowed; it fails as that does. */
struct mpdata_sink mpdata_sink_to_buf(struct mprof_buf *buf);

void mpdata_sink_bytes(struct mpdata_sink *sink, const char *bytes,
                       size_t size);
void mpdata_sink_text(struct mpdata_sink *sink, const char *text);
void mpdata_sink_char(struct mpdata_sink *sink, int c);
/* Up to MPDATA_SINK_TEXT_BYTES of text; returns how many. */
#define MPDATA_SINK_TEXT_BYTES 512
int mpdata_sink_format(struct mpdata_sink *sink, const char *format, ...)
    MPROF_PRINTF(2, 3);

#endif
