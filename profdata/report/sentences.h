/* sentences.h -- what a page says in words.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SENTENCES_H
#define MPDATA_SENTENCES_H

#include "profdata/export/formats.h"

/* Each appends lines. Error: NOMEM. */

/* What to know of the numbers: what was not measured, cut, estimated. */
MPROF_NODISCARD enum mprof_err
mpdata_sentences_notes(const struct mpdata_export *what,
                       struct mprof_buf *lines);

/* What to look at first, the largest of it first. */
MPROF_NODISCARD enum mprof_err
mpdata_sentences_findings(const struct mpdata_export *what,
                          struct mprof_buf *lines);

/* A function's name on one line, as sentences are; it is shortened in place. */
void mpdata_sentences_function(struct mpdata_sink *out, char *name);

#endif
