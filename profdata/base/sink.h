/* sink.h -- a target of text in pieces: a file, a buffer, a terminal.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/buf.h"
#include "shared/err.h"

/* Takes bytes; returns false on failure, after which it is not called again. */
typedef bool mpdata_sink_fn(void *context, const char *bytes, size_t size);

struct mpdata_sink {
    mpdata_sink_fn *write;
    void *context;
    bool is_used; /* bytes were passed to it */
    bool failed;  /* bytes were lost; sticky */
};

/* A sink that appends to a borrowed buffer; it fails when the buffer fails. */
struct mpdata_sink mpdata_sink_to_buf(struct mprof_buf *buf);

void mpdata_sink_bytes(struct mpdata_sink *sink, const char *bytes,
                       size_t size);
void mpdata_sink_text(struct mpdata_sink *sink, const char *text);
void mpdata_sink_char(struct mpdata_sink *sink, int c);
/* Formats less than MPDATA_SINK_TEXT_BYTES bytes; returns their number. */
#define MPDATA_SINK_TEXT_BYTES 512
int mpdata_sink_format(struct mpdata_sink *sink, const char *format, ...)
    MPROF_PRINTF(2, 3);

/* heapbuf.c -- struct mprof_buf on the heap. */

/* Makes an empty buffer that grows by realloc(). */
void mpdata_heapbuf_init(struct mprof_buf *buf);
/* Frees the bytes and leaves the buffer empty. */
void mpdata_heapbuf_fini(struct mprof_buf *buf);
