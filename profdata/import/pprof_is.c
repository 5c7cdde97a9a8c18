/* pprof_is.c -- detects profiles of pprof, which have no magic number
 * (profdata/base/pprof_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/protobuf.h"
#include "profdata/import/foreign.h"
#include "profdata/base/pprof_format.h"

#define SECTION "pprof profile"
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

/* Is it a field that writers put first: a type of values, for Go also that of
 * the period? */
static bool is_head(const struct mpdata_protobuf_field *f)
{
    if (!f->has_bytes)
        return f->number >= MPROF_PPROF_TIME_NS &&
               f->number <= MPROF_PPROF_DEFAULT_TYPE;
    return (f->number == MPROF_PPROF_SAMPLE_TYPE ||
            f->number == MPROF_PPROF_PERIOD_TYPE) &&
           f->bytes.size <= TYPE_BYTES_MAX && is_type(f->bytes);
}

bool mpdata_pprof_is(const uint8_t *data, size_t size)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, SECTION);
    struct mpdata_protobuf_field f;
    bool has_type = false;

    while (mpdata_protobuf_next(&c, &f) && is_head(&f))
        has_type |= f.number == MPROF_PPROF_SAMPLE_TYPE;
    /* The data may end in the middle of the next field, which is not a type. */
    return has_type &&
           (c.err == MPROF_E_TRUNCATED ||
            (c.err == MPROF_E_OK &&
             (f.number == 0 || (f.number > MPROF_PPROF_SAMPLE_TYPE &&
                                f.number <= MPROF_PPROF_FIELD_MAX))));
}
