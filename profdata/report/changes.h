/* changes.h -- what a page says in words of two profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CHANGES_H
#define MPDATA_CHANGES_H

#include "profdata/export/formats.h"
#include "profdata/report/compared.h"

/* Each appends lines. Error: NOMEM. */

/* What to know of the numbers: what was not compared, and by what. */
MPROF_NODISCARD enum mprof_err
mpdata_changes_notes(const struct mpdata_compared *compared,
                     struct mprof_buf *lines);

/* How much more or less there is of each of the first metrics, how many call
 * stacks changed, and which most. */
MPROF_NODISCARD enum mprof_err mpdata_changes_findings(
    const struct mpdata_compared *compared,
    const struct mpdata_export *const profiles[MPDATA_DIFF_SIDES],
    struct mprof_buf *lines);

#endif
