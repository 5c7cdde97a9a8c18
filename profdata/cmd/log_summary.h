/* log_summary.h -- memprofdata events LOG: sums over a log, and the heap every
 * so often.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/file.h"
#include "profdata/cmd/session.h"
#include "profdata/events/event_stats.h"

/* Opens a log. Errors: those of a file; UNSUPPORTED if it is none, or one of
 * another tool that may not be. */
enum mprof_err log_summary_open(struct mpdata_file *file, const char *path,
                                bool may_be_foreign, struct mprof_diag *diag);
/* Says of what is no log of ours what it is. */
enum mprof_err log_summary_refuse(const uint8_t *data, size_t size,
                                  struct mprof_diag *diag);
/* What stands before the damage is used. rest: why reading ended, or OK. */
void log_summary_warn(const struct mpdata_diag_warn *warn, const char *path,
                      const struct mprof_diag *rest);
/* Prints a name that the program made. */
void log_summary_print_name(struct mpdata_str name, FILE *out);

/* every_ns: 0, or the time between rows. */
enum mprof_err log_summary_text(const struct mpdata_event_stats *stats,
                                uint64_t every_ns, uint64_t top, FILE *out);
