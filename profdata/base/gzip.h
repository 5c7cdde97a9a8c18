/* gzip.h -- a sink that compresses its bytes and passes them on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"

struct mpdata_gzip; /* gzip.c */

/* Borrows `out`. The same bytes in the same pieces give the same output: it has
 * no time and no name. NULL when out of memory. */
struct mpdata_gzip *mpdata_gzip_new(struct mpdata_sink *out);
struct mpdata_sink mpdata_gzip_sink(struct mpdata_gzip *gzip);
/* Writes the rest and frees *gzip; accepts NULL. Errors show in `out`. */
void mpdata_gzip_finish(struct mpdata_gzip *gzip);

/* base64.c -- a sink that encodes lines of base64 (RFC 4648, section 4). */

/* Input bytes per line. */
#define MPDATA_BASE64_LINE_BYTES 57u

/* Must not move while its sink is in use. */
struct mpdata_base64 {
    struct mpdata_sink *out; /* borrowed */
    uint8_t bytes[MPDATA_BASE64_LINE_BYTES];
    uint32_t count; /* bytes of the unfinished line */
};

void mpdata_base64_init(struct mpdata_base64 *base64, struct mpdata_sink *out);
struct mpdata_sink mpdata_base64_sink(struct mpdata_base64 *base64);
/* Writes the last line. Errors show in the sink behind this one. */
void mpdata_base64_finish(struct mpdata_base64 *base64);
