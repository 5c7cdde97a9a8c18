/* pprof_rows.c -- see pprof_rows.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/pprof_rows.h"
#include "profdata/base/protobuf.h"
#include "shared/pprof_format.h"

void mpdata_pprof_rows_type(struct mprof_cursor *c,
                            struct mpdata_pprof_type *type)
{
    struct mpdata_protobuf_field f;

    while (mpdata_protobuf_next(c, &f)) {
        if (f.has_bytes)
            continue;
        if (f.number == MPROF_PPROF_VALUE_TYPE)
            type->name = f.value;
        else if (f.number == MPROF_PPROF_VALUE_UNIT)
            type->unit = f.value;
    }
}

void mpdata_pprof_rows_mapping(struct mprof_cursor *c,
                               struct mpdata_pprof_mapping *m)
{
    struct mpdata_protobuf_field f;

    while (mpdata_protobuf_next(c, &f)) {
        if (f.has_bytes)
            continue;
        switch (f.number) {
        case MPROF_PPROF_MAPPING_ID:
            m->id = f.value;
            break;
        case MPROF_PPROF_MAPPING_START:
            m->start = f.value;
            break;
        case MPROF_PPROF_MAPPING_OFFSET:
            m->offset = f.value;
            break;
        case MPROF_PPROF_MAPPING_FILE:
            m->file = f.value;
            break;
        case MPROF_PPROF_MAPPING_BUILD_ID:
            m->build_id = f.value;
            break;
        default:
            break;
        }
    }
}

void mpdata_pprof_rows_function(struct mprof_cursor *c,
                                struct mpdata_pprof_function *function)
{
    struct mpdata_protobuf_field f;

    while (mpdata_protobuf_next(c, &f)) {
        if (f.has_bytes)
            continue;
        switch (f.number) {
        case MPROF_PPROF_FUNCTION_ID:
            function->id = f.value;
            break;
        case MPROF_PPROF_FUNCTION_NAME:
            function->name = f.value;
            break;
        case MPROF_PPROF_FUNCTION_LINKAGE:
            function->linkage = f.value;
            break;
        case MPROF_PPROF_FUNCTION_FILE:
            function->file = f.value;
            break;
        case MPROF_PPROF_FUNCTION_LINE:
            function->line = f.value;
            break;
        default:
            break;
        }
    }
}

void mpdata_pprof_rows_location(struct mprof_cursor *c,
                                struct mpdata_pprof_location *location)
{
    struct mpdata_protobuf_field f;

    location->bytes = c->data;
    location->size = c->size;
    while (mpdata_protobuf_next(c, &f)) {
        if (!f.has_bytes && f.number == MPROF_PPROF_LOCATION_ID)
            location->id = f.value;
    }
}

struct mpdata_pprof_line mpdata_pprof_rows_line(struct mprof_cursor *c)
{
    struct mpdata_protobuf_field f;
    struct mpdata_pprof_line line = {.line = 0};

    while (mpdata_protobuf_next(c, &f)) {
        if (f.has_bytes)
            continue;
        if (f.number == MPROF_PPROF_LINE_FUNCTION)
            line.function = f.value;
        else if (f.number == MPROF_PPROF_LINE_LINE)
            line.line = f.value;
        else if (f.number == MPROF_PPROF_LINE_COLUMN)
            line.column = f.value;
    }
    return line;
}
