/* sections_check.h -- is what our sections say possible?
 *
 * The rules are those of shared/index_format.h: references, ranges, order,
 * histogram sizes. They are written once, for a range of rows: a reader of few
 * rows has these checked, a reader of the whole file all, and then what only
 * all rows together can break.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SECTIONS_CHECK_H
#define MPDATA_SECTIONS_CHECK_H

#include "profdata/index/sections.h"
#include "profdata/model/profile.h"

/* Frames that the call stacks of a section may have in sum, by its size and
 * that of NODES. A row in which most is equal takes a byte or two: each counts
 * as some. A writer keeps to it, too. */
#define MPDATA_SECTIONS_ROW_BYTES 8u
static inline uint64_t mpdata_sections_frames_max(uint64_t node_rows,
                                                  uint64_t node_bytes,
                                                  uint64_t rows, uint64_t bytes)
{
    return mpdata_profile_frames_max(
        mprof_max_u64(node_bytes, MPDATA_SECTIONS_ROW_BYTES * node_rows) +
        mprof_max_u64(bytes, MPDATA_SECTIONS_ROW_BYTES * rows));
}

/* Opens, decodes and checks every section. After MPROF_E_OK a reader may follow
 * every reference, and all numbers fit their members. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_check(struct mpdata_sections *sections,
                      struct mprof_diag *diag);

/* Opens the section, and decodes and checks one row, by itself and against the
 * one before it: its numbers fit their members, and what it refers to is there,
 * though not checked yet. The way up from a path or a node goes to an earlier
 * row. Error: REFERENCE where there is no such row. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_check_row(struct mpdata_sections *sections, uint32_t id,
                          uint64_t row, struct mprof_diag *diag);

/* The same of all rows of a section, each by itself. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_check_rows(struct mpdata_sections *sections, uint32_t id,
                           struct mprof_diag *diag);

#endif
