/* notes.h -- sentences about the limits of a profile's numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"
#include "profdata/query/run_totals.h"
#include "shared/buf.h"

/* Appends a line for each limit that applies. */
void mpdata_notes_write(const struct mpdata_run_totals *runs,
                        struct mprof_buf *lines);
/* Like mpdata_notes_write(), for a profile; also names its binaries that are
 * not instrumented. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_notes_of_profile(const struct mpdata_profile *profile,
                        struct mprof_buf *lines);
/* Appends the note that sums are estimates, if they are. */
void mpdata_notes_sampled(const struct mpdata_run_totals *runs,
                          struct mprof_buf *line);
