/* pprof_rows.h -- the numbers in the messages of a pprof profile
 * (profdata/base/pprof_format.h). After an error the cursor holds it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/protobuf.h"
#include "profdata/model/profile.h"

/* Members are numbers of the message; names, files and other strings are
 * indexes into the table of strings. Rows of tables begin with their id. */
struct mpdata_pprof_profile {
    uint64_t time_ns;
    uint64_t duration_ns;
    uint64_t period;
    uint64_t drop; /* string: drop_frames */
    uint64_t keep; /* string: keep_frames */
};

struct mpdata_pprof_mapping {
    uint64_t id;
    uint64_t start;
    uint64_t offset;
    uint64_t file;
    uint64_t build_id;
    mpdata_ref binary; /* binary of the profile; 0 until it is used */
};

struct mpdata_pprof_function {
    uint64_t id;
    uint64_t name;
    uint64_t linkage;
    uint64_t file;
    uint64_t line;
    bool is_dropped;
};

struct mpdata_pprof_location {
    uint64_t id;
    uint64_t mapping;
    uint64_t address;
    const uint8_t *bytes; /* the message */
    uint64_t size;
    uint64_t first_frame; /* valid if frame_count is not 0 */
    uint32_t frame_count; /* 0: the frames were not created yet */
};

struct mpdata_pprof_type {
    uint64_t name;
    uint64_t unit;
};

struct mpdata_pprof_line {
    uint64_t function;
    uint64_t line;
    uint64_t column;
};

struct mpdata_pprof_label {
    uint64_t key;
    uint64_t text; /* 0: the label is a number */
    uint64_t number;
};

enum mpdata_pprof_row {
    MPDATA_PPROF_ROW_PROFILE,
    MPDATA_PPROF_ROW_MAPPING,
    MPDATA_PPROF_ROW_FUNCTION,
    MPDATA_PPROF_ROW_LOCATION,
    MPDATA_PPROF_ROW_TYPE,
    MPDATA_PPROF_ROW_LINE,
    MPDATA_PPROF_ROW_LABEL
};

/* Sets the member of *row that belongs to the field, if there is one. */
void mpdata_pprof_rows_take(enum mpdata_pprof_row kind,
                            const struct mpdata_protobuf_field *field,
                            void *row);

/* Sets the members of *row from all fields of a message. */
void mpdata_pprof_rows_read(enum mpdata_pprof_row kind, struct mprof_cursor *c,
                            void *row);
