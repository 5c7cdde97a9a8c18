/* raw_sections.h -- the sections of a raw dump, for raw_read.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/raw/raw.h"

/* One more than the highest section id. */
enum {
    MPDATA_RAW_SECTIONS = sizeof(union {
#define X(id, name, required, help) char name[(id) + 1];
        MPROF_RAW_SECTIONS(X)
#undef X
    })
};

/* All columns of all sections, numbered. */
enum {
#define X(section, tag, name, rule, of, help) \
    MPDATA_RAW_COLUMN_##section##_##name,
    MPROF_RAW_COLUMNS(X)
#undef X
        MPDATA_RAW_COLUMNS
};

struct mpdata_raw_reader {
    const uint8_t *data;
    size_t size;
    bool verify;
    struct mprof_diag *diag;
    struct mprof_dir dir;
    struct mpdata_section sections[MPDATA_RAW_SECTIONS];
    struct mprof_table tables[MPDATA_RAW_SECTIONS];
    struct mprof_column columns[MPDATA_RAW_COLUMNS];
    struct mpdata_raw raw;
};

/* Opens all sections and finds their columns. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_sections_open(struct mpdata_raw_reader *r);

/* Checks all values by the rules of the columns. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_sections_check(struct mpdata_raw_reader *r);

/* The number of strings: string 0 is "" even in an empty table. */
uint64_t mpdata_raw_sections_strings(const struct mpdata_raw_reader *r);

/* Makes an array of structs for a section's rows and fills the members that
 * store columns; *count: their number. NULL when out of memory. */
void *mpdata_raw_sections_rows(struct mpdata_raw_reader *r, uint32_t id,
                               size_t row_bytes, uint32_t *count);

/* Fails with `err` if the section has more than `max` rows. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_sections_count(struct mpdata_raw_reader *r, uint32_t id,
                          uint64_t max, enum mprof_err err);
/* Fail because of the value of a column in a row, or for lack of memory. */
enum mprof_err mpdata_raw_sections_fail(struct mpdata_raw_reader *r,
                                        enum mprof_err err, int column,
                                        uint64_t row);
enum mprof_err mpdata_raw_sections_no_memory(struct mpdata_raw_reader *r,
                                             uint32_t id);
