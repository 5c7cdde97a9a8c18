/* sink.c -- text, handed on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void mpdata_sink_bytes(struct mpdata_sink *sink, const char *bytes, size_t size)
{
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
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (n >= (int)sizeof(text))
        n = (int)sizeof(text) - 1;
    mpdata_sink_bytes(sink, text, n > 0 ? (size_t)n : 0);
    return n;
}
