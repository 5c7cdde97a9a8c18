/* protobuf.h -- messages of Protocol Buffers as bytes: fields, each with a
 * field number and a number or bytes. The caller knows what a field means
 * (docs/decisions/0002-libraries.md says why no library is used).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/buf.h"
#include "shared/cursor.h"

/* -- writing: appends to a message, which may become a field of another -- */

/* A number without a field number, as in packed repeated fields. */
void mpdata_protobuf_put(struct mprof_buf *out, uint64_t number);
/* Writes nothing for 0: readers take an absent field for 0. */
void mpdata_protobuf_put_number(struct mprof_buf *out, uint32_t field,
                                uint64_t number);
void mpdata_protobuf_put_bytes(struct mprof_buf *out, uint32_t field,
                               const void *bytes, size_t size);

/* -- reading ------------------------------------------------------------------ */

struct mpdata_protobuf_field {
    uint32_t number;
    bool has_bytes;
    uint64_t value;            /* if not has_bytes */
    struct mprof_cursor bytes; /* a message, a string, packed numbers */
};

/* Reads the next field; false at the end, or if the cursor fails. */
bool mpdata_protobuf_next(struct mprof_cursor *message,
                          struct mpdata_protobuf_field *field);

/* Reads the next number of a repeated field, packed or not; false at the end,
 * or if field->bytes fails. */
bool mpdata_protobuf_next_number(struct mpdata_protobuf_field *field,
                                 uint64_t *number);
