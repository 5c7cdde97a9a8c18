/* index_ext_check.h -- is what our sections say possible?
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_EXT_CHECK_H
#define MPDATA_INDEX_EXT_CHECK_H

#include "shared/index_format.h"
#include "shared/table.h"

/* One more than the highest section id. */
#define MPDATA_INDEX_SECTION_END (MPROF_INDEX_TOTALS + 1)

/* Checks every row of all tables, which are indexed by section id, against the
 * rules of shared/index_format.h: references, ranges, order, histogram sizes.
 * After MPROF_E_OK a reader may follow every reference, and all numbers fit
 * their members. Tables that are missing have no rows. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_check(const struct mprof_table *tables,
                      struct mprof_diag *diag);

#endif
