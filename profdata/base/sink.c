/* sink.c -- passes text on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool write_to_buf(void *context, const char *bytes, size_t size)
{
    struct mprof_buf *const buf = context;

    mprof_buf_bytes(buf, bytes, size);
    return !buf->failed;
}

struct mpdata_sink mpdata_sink_to_buf(struct mprof_buf *buf)
{
    return (struct mpdata_sink){.write = write_to_buf, .context = buf};
}

void mpdata_sink_bytes(struct mpdata_sink *sink, const char *bytes, size_t size)
{
    sink->is_used |= size != 0;
    if (!sink->failed && size != 0)
        sink->failed = !sink->write(sink->context, bytes, size);
}

void mpdata_sink_text(struct mpdata_sink *sink, const char *text)
{
    mpdata_sink_bytes(sink, text, strlen(text));
}

void mpdata_sink_char(struct mpdata_sink *sink, int c)
{
    const char byte = (char)c;

    mpdata_sink_bytes(sink, &byte, 1);
}

int mpdata_sink_format(struct mpdata_sink *sink, const char *format, ...)
{
    char text[MPDATA_SINK_TEXT_BYTES];
    va_list args;

    va_start(args, format);
    int n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (n >= (int)sizeof(text))
        n = (int)sizeof(text) - 1;
    mpdata_sink_bytes(sink, text, n > 0 ? (size_t)n : 0);
    return n;
}
