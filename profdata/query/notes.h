/* notes.h -- what makes the numbers of a profile less than the whole truth, in
 * sentences.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_NOTES_H
#define MPDATA_NOTES_H

#include "profdata/model/profile.h"
#include "profdata/query/run_totals.h"
#include "shared/buf.h"

/* Appends a line for each; nothing where there is nothing to say. */
void mpdata_notes_write(const struct mpdata_run_totals *runs,
                        struct mprof_buf *lines);
/* The same of a profile, and which of its binaries are not instrumented. Error:
 * NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_notes_of_profile(const struct mpdata_profile *profile,
                        struct mprof_buf *lines);
/* The one that says that sums are estimates, or nothing. */
void mpdata_notes_sampled(const struct mpdata_run_totals *runs,
                          struct mprof_buf *line);

#endif
