/* used.h -- prints what compilations used of a profile, for people and as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/judge/use_log.h"
#include "profdata/view/show.h"

/* Version of the JSON; docs/usage.md describes it. */
#define USED_JSON_VERSION 1

/* Print a complete log; use top and style. Error: NOMEM. */
enum mprof_err used_text(FILE *out, const struct mpdata_use_log *log,
                         const struct show_options *options);
enum mprof_err used_json(struct mpdata_sink *sink,
                         const struct mpdata_use_log *log,
                         const struct show_options *options);
