/* document.h -- the data of a page: JSON in columns, which web/src/data.ts
 * reads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/export/formats.h"
#include "profdata/query/left_out.h"
#include "profdata/compare/diff.h"

/* What a page shows; all borrowed. */
struct mpdata_document {
    const struct mpdata_export *now;
    /* The profile to compare with, and the comparison; or NULL. `held` of both
     * profiles must be that of `compared`. */
    const struct mpdata_export *before;
    const struct mpdata_compared *compared;
    /* Or NULL. */
    bool is_left_out; /* something was filtered out */
    bool is_of_pools; /* blocks of pools, not the heap's */
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

/* compared.c -- compares two profiles for a page: all call stacks of both,
 * changed or not, and which functions, lines and files are the same. */

struct mpdata_compared {
    /* As the user named them; borrowed. */
    const char *inputs[MPDATA_DIFF_SIDES];
    struct mpdata_diff diff; /* by stack; with unchanged rows */
    /* Pairings by function, line and file. */
    struct mpdata_pairing by[MPDATA_BY_FILE + 1];
    bool held[MPDATA_METRIC_COUNT]; /* both profiles have the metric */
};

/* Compares by the most telling metric (finds_metric in diff.h); without a
 * common metric there are no rows. is_absolute: compare sums, not values per
 * run. Call _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_compared_make(struct mpdata_compared *compared,
                     const struct mpdata_profile *const profiles[2],
                     const char *const inputs[2], bool is_absolute);
void mpdata_compared_fini(struct mpdata_compared *compared);

/* page.c -- writes one or two profiles as a self-contained web page: the
 * program of web/ and the data. */

/* Writes the page. Omits metrics that the profile does not have, instead of
 * writing zeros. The data are encoded, so names in the profile cannot be parsed
 * as markup. Error: NOMEM. The sink records write errors. */
MPROF_NODISCARD enum mprof_err
mpdata_page_write(const struct mpdata_document *document,
                  struct mpdata_sink *sink);
