/* protobuf.h -- messages of Protocol Buffers as bytes: fields, each with its
 * number and a number or bytes. What a field means is the caller's to know
 * (docs/decisions/0002-libraries.md says why no library does it).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PROTOBUF_H
#define MPDATA_PROTOBUF_H

#include "shared/buf.h"
#include "shared/cursor.h"

/* -- writing: appends to a message, which may be bytes of another ------------ */

/* A number without a field, as packed repeated fields have them. */
void mpdata_protobuf_put(struct mprof_buf *out, uint64_t number);
/* Nothing where it is 0, which is what readers take an absent field for. */
void mpdata_protobuf_put_number(struct mprof_buf *out, uint32_t field,
                                uint64_t number);
void mpdata_protobuf_put_bytes(struct mprof_buf *out, uint32_t field,
                               const void *bytes, size_t size);

/* -- reading ------------------------------------------------------------------ */

struct mpdata_protobuf_field {
    uint32_t number;
    bool has_bytes;
    uint64_t value;            /* else */
    struct mprof_cursor bytes; /* a message, a string, packed numbers */
};

/* The next field of a message; false at its end, or where the cursor fails. */
bool mpdata_protobuf_next(struct mprof_cursor *message,
                          struct mpdata_protobuf_field *field);

/* The next number of a repeated field, which may be packed or hold one; false
 * at the end, or where field->bytes fails. */
bool mpdata_protobuf_next_number(struct mpdata_protobuf_field *field,
                                 uint64_t *number);

#endif
