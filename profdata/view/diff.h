/* diff.h -- prints the differences of two profiles, for people and as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/compare/diff.h"
#include "profdata/view/show.h"

/* Version of the JSON; docs/diff.md describes it. */
#define DIFF_JSON_VERSION 1

struct diff_options {
    /* The inputs as the user named them. */
    const char *names[MPDATA_DIFF_SIDES];
    uint32_t joined[MPDATA_DIFF_SIDES]; /* see show_options */
    struct show_options show; /* uses top, width, style, full_stacks */
};

/* Prints the given rows of a comparison by call stack; if `rows` is NULL, the
 * totals of both profiles and the rows. Error: NOMEM. */
enum mprof_err diff_text(FILE *out, const struct mpdata_diff *diff,
                         const uint32_t *rows, uint32_t count,
                         const struct diff_options *options,
                         const struct mpdata_demangler *demangler);

/* Writes the comparison as a JSON document. Error: NOMEM. */
enum mprof_err diff_json(struct mpdata_sink *out,
                         const struct mpdata_diff *diff,
                         const struct diff_options *options,
                         const struct mpdata_demangler *demangler);
