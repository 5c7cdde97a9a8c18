/* sentences.h -- sentences of a page about a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/export/formats.h"

/* Both functions append lines. Error: NOMEM. */

/* Appends notes: what was not measured, truncated or estimated. */
MPROF_NODISCARD enum mprof_err
mpdata_sentences_notes(const struct mpdata_export *what,
                       struct mprof_buf *lines);

/* Appends findings, the most important one first. */
MPROF_NODISCARD enum mprof_err
mpdata_sentences_findings(const struct mpdata_export *what,
                          struct mprof_buf *lines);

/* Appends a function's name on one line; shortens `name` in place. */
void mpdata_sentences_function(struct mpdata_sink *out, char *name);
