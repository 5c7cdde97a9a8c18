/* base64.c -- three bytes as four letters.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/gzip.h"

#define LETTERS 64u
#define LINE_LETTERS (MPDATA_BASE64_LINE_BYTES / 3 * 4 + 1)

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "abcdefghijklmnopqrstuvwxyz0123456789+/";

/* Encodes three bytes, or `count` at the end of the input. */
static void put_three(char out[4], const uint8_t *in, uint32_t count)
{
    const uint32_t bits = (uint32_t)in[0] << 16 |
                          (count > 1 ? (uint32_t)in[1] << 8 : 0) |
                          (count > 2 ? (uint32_t)in[2] : 0);

    out[0] = letters[bits >> 18];
    out[1] = letters[(bits >> 12) % LETTERS];
    out[2] = (char)(count > 1 ? letters[(bits >> 6) % LETTERS] : '=');
    out[3] = (char)(count > 2 ? letters[bits % LETTERS] : '=');
}

static void put_line(struct mpdata_base64 *base64)
{
    char line[LINE_LETTERS];
    size_t used = 0;

    for (uint32_t i = 0; i < base64->count; i += 3, used += 4)
        put_three(line + used, base64->bytes + i, base64->count - i);
    line[used++] = '\n';
    mpdata_sink_bytes(base64->out, line, used);
    base64->count = 0;
}

static bool take(void *context, const char *bytes, size_t size)
{
    struct mpdata_base64 *const base64 = context;

    for (size_t i = 0; i < size; i++) {
        base64->bytes[base64->count++] = (uint8_t)bytes[i];
        if (base64->count == MPDATA_BASE64_LINE_BYTES)
            put_line(base64);
    }
    return !base64->out->failed;
}

void mpdata_base64_init(struct mpdata_base64 *base64, struct mpdata_sink *out)
{
    base64->out = out;
    base64->count = 0;
}

struct mpdata_sink mpdata_base64_sink(struct mpdata_base64 *base64)
{
    return (struct mpdata_sink){.write = take, .context = base64};
}

void mpdata_base64_finish(struct mpdata_base64 *base64)
{
    if (base64->count != 0)
        put_line(base64);
}
