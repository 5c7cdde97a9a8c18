/* document.h -- what a page holds of a profile: JSON in columns, which
 * web/src/data.ts reads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DOCUMENT_H
#define MPDATA_DOCUMENT_H

#include "profdata/export/formats.h"
#include "profdata/query/left_out.h"
#include "profdata/report/compared.h"

/* What a page is of; all borrowed. */
struct mpdata_document {
    const struct mpdata_export *now;
    /* The profile that it is compared with, and how; or NULL. `held` of both
     * is that of `compared`. */
    const struct mpdata_export *before;
    const struct mpdata_compared *compared;
    const struct mpdata_left_out_list *left_out[MPDATA_DIFF_SIDES]; /* or NULL
                                                                     */
    bool has_source; /* with source text, where its files are there */
};

/* Error: NOMEM; whether all was written, the sink says. */
MPROF_NODISCARD enum mprof_err
mpdata_document_write(const struct mpdata_document *document,
                      struct mpdata_sink *sink);

#endif
