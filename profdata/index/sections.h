/* sections.h -- reads and writes our sections of an indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/member.h"
#include "profdata/base/section.h"
#include "profdata/index/index.h"
#include "profdata/model/profile.h"
#include "shared/index_format.h"

/* Adds everything to *into, which is unchanged on failure: all sections are
 * checked first. Errors: those of mpdata_sections_open(), and the profile's
 * status. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_read(const struct mpdata_index_file *file,
                     struct mpdata_profile *into, struct mprof_diag *diag);

/* Appends our sections, the directory and the trailer to *out, which holds
 * LLVM's part. Compresses with zstd if may_compress and it pays. Errors: NOMEM,
 * LIMIT, FRAMES. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_write(const struct mpdata_profile *canonical, bool may_compress,
                      struct mprof_buf *out);

/* -- for sections_*.c ------------------------------------------------------ */

/* One more than the highest section id. */
enum {
    MPDATA_SECTIONS_END = sizeof(union {
#define X(id, name, required, help) char name[(id) + 1];
        MPROF_INDEX_SECTIONS(X)
#undef X
    })
};

/* All columns of all sections, numbered. */
enum {
#define X(section, tag, name, rule, of, help) MPDATA_COLUMN_##section##_##name,
    MPROF_INDEX_COLUMNS(X)
#undef X
        MPDATA_COLUMNS
};

/* A column; columns of a section are adjacent, ascending by tag. */
struct mpdata_sections_column {
    uint32_t section;
    uint32_t tag;
    uint32_t target; /* section of the rows it refers to; 0: it is a number */
    uint64_t below;  /* bound, plus the target's rows; a number with 0: none */
};
extern const struct mpdata_sections_column
    mpdata_sections_columns[MPDATA_COLUMNS];

/* Where a struct of the profile stores a column, a reference as an id of the
 * profile. 0 bytes: nowhere. */
extern const struct mpdata_member mpdata_sections_members[MPDATA_COLUMNS];

/* Index of a section's first column; MPDATA_COLUMNS if it has none. */
int mpdata_sections_columns_first(uint32_t section);

/* By id. A missing section has no rows. */
struct mpdata_sections {
    struct mprof_table tables[MPDATA_SECTIONS_END];
    struct mpdata_section sections[MPDATA_SECTIONS_END];
    struct mprof_column columns[MPDATA_COLUMNS];
};

/* The value of a column in a row; `of` has a member columns. */
#define MPDATA_SECTIONS_GET(of, section, name, row) \
    mprof_column_get(&(of)->columns[MPDATA_COLUMN_##section##_##name], row)

/* Decodes and checks every section. After MPROF_E_OK a reader may follow every
 * reference, and all numbers fit their members. Close in any case. Errors:
 * MISSING for a required section; VALUE, LIMIT, REFERENCE, OFFSET, DUPLICATE,
 * NOMEM; those of mpdata_section_open() and mprof_table_open(). */
MPROF_NODISCARD enum mprof_err
mpdata_sections_open(struct mpdata_sections *sections,
                     const struct mpdata_index_file *file,
                     struct mprof_diag *diag);
void mpdata_sections_close(struct mpdata_sections *sections);

/* Checks the rules between rows and sections. For mpdata_sections_open(). */
MPROF_NODISCARD enum mprof_err
mpdata_sections_check(const struct mpdata_sections *sections,
                      struct mprof_diag *diag);

/* Limit of the frames in all call stacks of a section, by its size and the size
 * of NODES. Equal rows take only a byte or two, so each row counts as 8 bytes.
 * Writers keep the limit, too. */
#define MPDATA_SECTIONS_ROW_BYTES 8u
static inline uint64_t mpdata_sections_frames_max(uint64_t node_rows,
                                                  uint64_t node_bytes,
                                                  uint64_t rows, uint64_t bytes)
{
    return mpdata_profile_frames_max(
        mprof_max_u64(node_bytes, MPDATA_SECTIONS_ROW_BYTES * node_rows) +
        mprof_max_u64(bytes, MPDATA_SECTIONS_ROW_BYTES * rows));
}
