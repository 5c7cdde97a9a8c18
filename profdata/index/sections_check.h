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
