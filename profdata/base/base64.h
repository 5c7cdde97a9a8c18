/* base64.h -- a sink that encodes lines of base64 (RFC 4648, section 4).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"

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
