/* sections.h -- our sections of an indexed file as tables, decoded as far as is
 * asked for.
 *
 * Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SECTIONS_H
#define MPDATA_SECTIONS_H

#include "profdata/base/lazy.h"
#include "profdata/index/index_file.h"
#include "shared/index_format.h"

/* One more than the highest section id. */
enum {
    MPDATA_SECTIONS_END = sizeof(union {
#define X(id, name, required, help) char name[(id) + 1];
        MPROF_INDEX_SECTIONS(X)
#undef X
    })
};

struct mpdata_sections {
    const struct mpdata_index_file *file; /* borrowed, of ours */
    /* By id. A section that is not opened, or not there, has no rows. */
    struct mprof_table tables[MPDATA_SECTIONS_END];
    struct mpdata_lazy lazy[MPDATA_SECTIONS_END];
    bool is_open[MPDATA_SECTIONS_END];
};

void mpdata_sections_init(struct mpdata_sections *sections,
                          const struct mpdata_index_file *file);
void mpdata_sections_fini(struct mpdata_sections *sections);

/* Opens a section, verifies its checksum and fills its table, of which nothing
 * need be decoded yet; once. Errors: MISSING where the format requires it;
 * VALUE, LIMIT; those of mpdata_lazy_open(). */
MPROF_NODISCARD enum mprof_err
mpdata_sections_open(struct mpdata_sections *sections, uint32_t id,
                     struct mprof_diag *diag);

/* Decode, of a section that was opened: all of it; a column as a whole; a row,
 * which must be there, and the one before it; bytes inside of it. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_need_all(struct mpdata_sections *sections, uint32_t id,
                         struct mprof_diag *diag);
MPROF_NODISCARD enum mprof_err
mpdata_sections_need_column(struct mpdata_sections *sections, uint32_t id,
                            uint32_t tag, struct mprof_column *column,
                            struct mprof_diag *diag);
MPROF_NODISCARD enum mprof_err
mpdata_sections_need_row(struct mpdata_sections *sections, uint32_t id,
                         uint64_t row, struct mprof_diag *diag);
MPROF_NODISCARD enum mprof_err
mpdata_sections_need_bytes(struct mpdata_sections *sections, uint32_t id,
                           const uint8_t *bytes, uint64_t size,
                           struct mprof_diag *diag);

#endif
