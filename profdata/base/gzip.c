/* gzip.c -- zlib as a sink.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/gzip.h"

#include <stdlib.h>
#include <zlib.h>

/* A gzip header, the largest window, and zlib's default memory level. */
#define WINDOW_BITS (16 + 15)
#define MEMORY_LEVEL 8
#define OUT_BYTES (64u << 10)
#define IN_BYTES_MAX (1u << 30) /* zlib counts in unsigned int */

struct mpdata_gzip {
    z_stream stream;
    struct mpdata_sink *out;
    uint8_t bytes[OUT_BYTES];
};

struct mpdata_gzip *mpdata_gzip_new(struct mpdata_sink *out)
{
    struct mpdata_gzip *gzip = calloc(1, sizeof(*gzip));

    if (gzip == NULL)
        return NULL;
    gzip->out = out;
    if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                     WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(gzip);
        return NULL;
    }
    return gzip;
}

/* Passes on all output that zlib has. */
static void drain(struct mpdata_gzip *gzip, int flush)
{
    z_stream *const stream = &gzip->stream;

    do {
        stream->next_out = gzip->bytes;
        stream->avail_out = OUT_BYTES;
        deflate(stream, flush);
        mpdata_sink_bytes(gzip->out, (const char *)gzip->bytes,
                          OUT_BYTES - stream->avail_out);
    } while (stream->avail_out == 0 && !gzip->out->failed);
}

static bool compress_bytes(void *context, const char *bytes, size_t size)
{
    struct mpdata_gzip *const gzip = context;

    while (size != 0 && !gzip->out->failed) {
        const size_t n = size < IN_BYTES_MAX ? size : IN_BYTES_MAX;

        gzip->stream.next_in = (z_const Bytef *)(uintptr_t)bytes;
        gzip->stream.avail_in = (uInt)n;
        drain(gzip, Z_NO_FLUSH);
        bytes += n;
        size -= n;
    }
    return !gzip->out->failed;
}

struct mpdata_sink mpdata_gzip_sink(struct mpdata_gzip *gzip)
{
    return (struct mpdata_sink){.write = compress_bytes, .context = gzip};
}

void mpdata_gzip_finish(struct mpdata_gzip *gzip)
{
    if (gzip == NULL)
        return;
    gzip->stream.avail_in = 0;
    drain(gzip, Z_FINISH);
    deflateEnd(&gzip->stream);
    free(gzip);
}
