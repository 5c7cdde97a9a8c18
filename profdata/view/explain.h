/* explain.h -- why allocation sites are cold or hot, for people and as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_VIEW_EXPLAIN_H
#define MPDATA_VIEW_EXPLAIN_H

#include "profdata/base/sink.h"
#include "profdata/judge/explain.h"
#include "profdata/view/show.h"

/* The version of the JSON; docs/explain.md has its form. */
#define EXPLAIN_JSON_VERSION 1

struct explain_options {
    const char *notes;        /* lines of mpdata_notes_of_profile() */
    struct show_options show; /* top, width, style, full_stacks */
};

/* What was made of the profile and its verdicts. Error: NOMEM. */
enum mprof_err explain_text(FILE *out, const struct mpdata_profile *profile,
                            const struct mpdata_verdicts *verdicts,
                            const struct mpdata_explain *explain,
                            const struct explain_options *options,
                            const struct mpdata_demangler *demangler);
enum mprof_err explain_json(struct mpdata_sink *sink,
                            const struct mpdata_profile *profile,
                            const struct mpdata_verdicts *verdicts,
                            const struct mpdata_explain *explain,
                            const struct explain_options *options,
                            const struct mpdata_demangler *demangler);

#endif
