/* protobuf.c -- the wire format of Protocol Buffers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/protobuf.h"

/* Wire types: the lowest bits of a field's tag. */
enum wire {
    WIRE_NUMBER = 0,
    WIRE_8_BYTES = 1,
    WIRE_BYTES = 2,
    WIRE_4_BYTES = 5
};
#define WIRE_BITS 3
#define WIRE_MASK 7u
#define NUMBER_BYTES_MAX 10

void mpdata_protobuf_put(struct mprof_buf *out, uint64_t number)
{
    uint8_t bytes[NUMBER_BYTES_MAX];
    size_t n = 0;

    for (; number >= 0x80; number >>= 7)
        bytes[n++] = (uint8_t)(number | 0x80);
    bytes[n++] = (uint8_t)number;
    mprof_buf_bytes(out, bytes, n);
}

static void put_head(struct mprof_buf *out, uint32_t field, enum wire wire)
{
    mpdata_protobuf_put(out, (uint64_t)field << WIRE_BITS | wire);
}

void mpdata_protobuf_put_number(struct mprof_buf *out, uint32_t field,
                                uint64_t number)
{
    if (number == 0)
        return;
    put_head(out, field, WIRE_NUMBER);
    mpdata_protobuf_put(out, number);
}

void mpdata_protobuf_put_bytes(struct mprof_buf *out, uint32_t field,
                               const void *bytes, size_t size)
{
    put_head(out, field, WIRE_BYTES);
    mpdata_protobuf_put(out, size);
    mprof_buf_bytes(out, bytes, size);
}

bool mpdata_protobuf_next(struct mprof_cursor *message,
                          struct mpdata_protobuf_field *field)
{
    const uint8_t *bytes;

    *field = (struct mpdata_protobuf_field){.number = 0};
    if (mprof_cursor_left(message) == 0)
        return false;
    uint64_t head = mprof_cursor_uleb(message);
    if (head >> WIRE_BITS == 0 || head > UINT32_MAX)
        mprof_cursor_fail(message, MPROF_E_VALUE);
    field->number = (uint32_t)(head >> WIRE_BITS);
    switch (head & WIRE_MASK) {
    case WIRE_NUMBER:
        field->value = mprof_cursor_uleb(message);
        break;
    case WIRE_8_BYTES:
        field->value = mprof_cursor_u64(message);
        break;
    case WIRE_4_BYTES:
        field->value = mprof_cursor_u32(message);
        break;
    case WIRE_BYTES:
        field->has_bytes = true;
        field->value = mprof_cursor_uleb(message);
        bytes = mprof_cursor_bytes(message, field->value);
        if (bytes != NULL)
            field->bytes = mprof_cursor_over(
                bytes, field->value,
                message->file_off + (uint64_t)(bytes - message->data),
                message->section);
        break;
    default:
        mprof_cursor_fail(message, MPROF_E_VALUE);
    }
    return message->err == MPROF_E_OK;
}

bool mpdata_protobuf_next_number(struct mpdata_protobuf_field *field,
                                 uint64_t *number)
{
    if (field->has_bytes) {
        if (mprof_cursor_left(&field->bytes) == 0)
            return false;
        *number = mprof_cursor_uleb(&field->bytes);
        return field->bytes.err == MPROF_E_OK;
    }
    *number = field->value;
    /* An unpacked number: the next call finds the end. */
    field->has_bytes = true;
    field->bytes = mprof_cursor_over(NULL, 0, 0, NULL);
    return true;
}
