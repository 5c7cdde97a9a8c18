/* document.h -- the data of a page: JSON in columns, which web/src/data.ts
 * reads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/export/formats.h"
#include "profdata/query/left_out.h"
#include "profdata/report/compared.h"

/* What a page shows; all borrowed. */
struct mpdata_document {
    const struct mpdata_export *now;
    /* The profile to compare with, and the comparison; or NULL. `held` of both
     * profiles must be that of `compared`. */
    const struct mpdata_export *before;
    const struct mpdata_compared *compared;
    /* Or NULL. */
    bool is_left_out; /* something was filtered out */
    /* Lines about what was filtered out. */
    const struct mprof_buf *left_out[MPDATA_DIFF_SIDES];
    /* Moments to choose, in ns after the start; the contexts have
     * MPDATA_DETAIL_MOMENTS of them. */
    const uint64_t *moments;
    uint32_t moment_count; /* 0: none */
    bool has_source;       /* include source text of files that can be read */
};

/* Writes the data. Error: NOMEM. The sink records write errors. */
MPROF_NODISCARD enum mprof_err
mpdata_document_write(const struct mpdata_document *document,
                      struct mpdata_sink *sink);
