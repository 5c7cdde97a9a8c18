/* changes.h -- sentences of a page about the differences of two profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CHANGES_H
#define MPDATA_CHANGES_H

#include "profdata/export/formats.h"
#include "profdata/report/compared.h"

/* Both functions append lines. Error: NOMEM. */

/* Appends notes: what was not compared, and how values are compared. */
MPROF_NODISCARD enum mprof_err
mpdata_changes_notes(const struct mpdata_compared *compared,
                     struct mprof_buf *lines);

/* Appends how much the most important metrics changed, how many call stacks
 * changed, and which ones most. */
MPROF_NODISCARD enum mprof_err mpdata_changes_findings(
    const struct mpdata_compared *compared,
    const struct mpdata_export *const profiles[MPDATA_DIFF_SIDES],
    struct mprof_buf *lines);

#endif
