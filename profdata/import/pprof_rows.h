/* pprof_rows.h -- the messages of a profile of pprof that are rows of its
 * tables (shared/pprof_format.h). A failed cursor says what is wrong with one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PPROF_ROWS_H
#define MPDATA_PPROF_ROWS_H

#include "profdata/model/profile.h"
#include "shared/container.h"

/* Every field of a number that a table's row has; strings are rows' numbers. */
struct mpdata_pprof_mapping {
    uint64_t id;
    uint64_t start;
    uint64_t offset;
    uint64_t file;
    uint64_t build_id;
    mpdata_ref binary; /* of the profile, once it was asked for */
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
    const uint8_t *bytes; /* the message */
    uint64_t size;
    uint64_t first_frame; /* once it was asked for */
    uint32_t frame_count; /* 0: it was not */
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

/* Takes the whole message into a zeroed row. */
void mpdata_pprof_rows_type(struct mprof_cursor *c,
                            struct mpdata_pprof_type *type);
void mpdata_pprof_rows_mapping(struct mprof_cursor *c,
                               struct mpdata_pprof_mapping *mapping);
void mpdata_pprof_rows_function(struct mprof_cursor *c,
                                struct mpdata_pprof_function *function);
void mpdata_pprof_rows_location(struct mprof_cursor *c,
                                struct mpdata_pprof_location *location);
struct mpdata_pprof_line mpdata_pprof_rows_line(struct mprof_cursor *c);

#endif
