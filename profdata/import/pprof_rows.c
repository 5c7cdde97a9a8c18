/* pprof_rows.c -- reads the numbers of a pprof message into a struct.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/pprof_rows.h"
#include "profdata/base/pprof_format.h"

#include <string.h>

/* X(kind, struct, field, member) */
#define FIELDS(X)                                    \
    X(PROFILE, profile, TIME_NS, time_ns)            \
    X(PROFILE, profile, DURATION_NS, duration_ns)    \
    X(PROFILE, profile, PERIOD, period)              \
    X(PROFILE, profile, DROP_FRAMES, drop)           \
    X(PROFILE, profile, KEEP_FRAMES, keep)           \
    X(MAPPING, mapping, MAPPING_ID, id)              \
    X(MAPPING, mapping, MAPPING_START, start)        \
    X(MAPPING, mapping, MAPPING_OFFSET, offset)      \
    X(MAPPING, mapping, MAPPING_FILE, file)          \
    X(MAPPING, mapping, MAPPING_BUILD_ID, build_id)  \
    X(FUNCTION, function, FUNCTION_ID, id)           \
    X(FUNCTION, function, FUNCTION_NAME, name)       \
    X(FUNCTION, function, FUNCTION_LINKAGE, linkage) \
    X(FUNCTION, function, FUNCTION_FILE, file)       \
    X(FUNCTION, function, FUNCTION_LINE, line)       \
    X(LOCATION, location, LOCATION_ID, id)           \
    X(LOCATION, location, LOCATION_MAPPING, mapping) \
    X(LOCATION, location, LOCATION_ADDRESS, address) \
    X(TYPE, type, VALUE_TYPE, name)                  \
    X(TYPE, type, VALUE_UNIT, unit)                  \
    X(LINE, line, LINE_FUNCTION, function)           \
    X(LINE, line, LINE_LINE, line)                   \
    X(LINE, line, LINE_COLUMN, column)               \
    X(LABEL, label, LABEL_KEY, key)                  \
    X(LABEL, label, LABEL_STRING, text)              \
    X(LABEL, label, LABEL_NUMBER, number)            \
    X(LABEL, label, LABEL_UNIT, unit)

static const struct {
    enum mpdata_pprof_row kind;
    uint32_t number;
    size_t off; /* offset of the member */
} fields[] = {
#define X(kind, type, field, member)               \
    {MPDATA_PPROF_ROW_##kind, MPROF_PPROF_##field, \
     offsetof(struct mpdata_pprof_##type, member)},
    FIELDS(X)
#undef X
};

void mpdata_pprof_rows_take(enum mpdata_pprof_row kind,
                            const struct mpdata_protobuf_field *field,
                            void *row)
{
    for (size_t i = 0; !field->has_bytes && i < MPROF_ARRAY_LEN(fields); i++) {
        if (fields[i].kind == kind && fields[i].number == field->number)
            memcpy((char *)row + fields[i].off, &field->value,
                   sizeof(field->value));
    }
}

void mpdata_pprof_rows_read(enum mpdata_pprof_row kind, struct mprof_cursor *c,
                            void *row)
{
    struct mpdata_protobuf_field field;

    while (mpdata_protobuf_next(c, &field))
        mpdata_pprof_rows_take(kind, &field, row);
}
