/* pprof_is.c -- detects profiles of pprof, which have no magic number
 * (profdata/base/pprof_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/protobuf.h"
#include "profdata/import/foreign.h"
#include "profdata/base/pprof_format.h"

#define SECTION "pprof profile"
/* So much of a file decides, however much the caller has of it. */
#define HEAD_BYTES_MAX (64u << 10)
/* Limit of the message of a type of values; a larger one is something else. */
#define TYPE_BYTES_MAX 64

/* Is it a message with the two numbers of a type, its name and its unit? */
static bool is_type(struct mprof_cursor bytes)
{
    struct mpdata_protobuf_field f;
    bool has_any = false;

    while (mpdata_protobuf_next(&bytes, &f)) {
        if (f.has_bytes || f.number > MPROF_PPROF_VALUE_UNIT)
            return false;
        has_any = true;
    }
    return has_any && bytes.err == MPROF_E_OK;
}

static bool is_message(struct mprof_cursor bytes)
{
    struct mpdata_protobuf_field f;

    while (mpdata_protobuf_next(&bytes, &f))
        continue;
    return bytes.err == MPROF_E_OK;
}

/* Does the field have the type that its number says? Of unknown numbers all. */
static bool fits(const struct mpdata_protobuf_field *f)
{
    switch (f->number) {
    case MPROF_PPROF_SAMPLE_TYPE:
    case MPROF_PPROF_PERIOD_TYPE:
        return f->has_bytes && f->bytes.size <= TYPE_BYTES_MAX &&
               is_type(f->bytes);
    case MPROF_PPROF_SAMPLE:
    case MPROF_PPROF_MAPPING:
    case MPROF_PPROF_LOCATION:
    case MPROF_PPROF_FUNCTION:
        return f->has_bytes && is_message(f->bytes);
    case MPROF_PPROF_STRING:
        return f->has_bytes;
    case MPROF_PPROF_COMMENT: /* may be packed */
        return true;
    default:
        return !f->has_bytes || f->number > MPROF_PPROF_FIELD_MAX;
    }
}

static bool is_row(uint32_t number)
{
    return number >= MPROF_PPROF_SAMPLE && number <= MPROF_PPROF_STRING;
}

/* Fields may have any order. A file has a type of values, before other fields
 * that fit. In a file that is longer, or cut, types may follow, so rows of its
 * tables are enough if nothing else is found. */
bool mpdata_pprof_is(const uint8_t *data, size_t size)
{
    struct mprof_cursor c = mprof_cursor_over(
        data, mprof_min_u64(size, HEAD_BYTES_MAX), 0, SECTION);
    struct mpdata_protobuf_field f;
    bool has_type = false;
    uint32_t rows = 0;
    bool is_fit = true;

    while (is_fit && mpdata_protobuf_next(&c, &f)) {
        is_fit = fits(&f);
        has_type |= is_fit && f.number == MPROF_PPROF_SAMPLE_TYPE;
        rows += is_fit && is_row(f.number);
    }
    is_fit = is_fit && (c.err == MPROF_E_OK || c.err == MPROF_E_TRUNCATED);
    if (has_type)
        return is_fit || rows != 0;
    return is_fit && rows > 1 &&
           (c.err == MPROF_E_TRUNCATED || size > HEAD_BYTES_MAX);
}
