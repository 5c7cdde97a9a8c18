/* diff.h -- what two profiles differ in, for people and as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_VIEW_DIFF_H
#define MPDATA_VIEW_DIFF_H

#include "profdata/base/sink.h"
#include "profdata/compare/diff.h"
#include "profdata/view/show.h"

/* The version of the JSON; docs/diff.md has its form. */
#define DIFF_JSON_VERSION 1

struct diff_options {
    const char *names[MPDATA_DIFF_SIDES]; /* what was compared, as given */
    const struct mpdata_left_out_list *left_out[MPDATA_DIFF_SIDES]; /* of it */
    struct show_options show; /* top, width, style, full_stacks */
};

/* Totals of both, then the rows. Error: NOMEM. */
enum mprof_err diff_text(FILE *out, const struct mpdata_diff *diff,
                         const struct diff_options *options,
                         const struct mpdata_demangler *demangler);

/* Some rows of call stacks alone. Error: NOMEM. */
enum mprof_err diff_text_rows(FILE *out, const struct mpdata_diff *diff,
                              const uint32_t *rows, uint32_t count,
                              const struct diff_options *options,
                              const struct mpdata_demangler *demangler);

/* The same as one JSON document. Error: NOMEM. */
enum mprof_err diff_json(struct mpdata_sink *out,
                         const struct mpdata_diff *diff,
                         const struct diff_options *options,
                         const struct mpdata_demangler *demangler);

#endif
