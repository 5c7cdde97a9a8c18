/* fields.h -- prints which members of types are accessed, for people and as
 * JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/judge/reorder.h"
#include "profdata/view/show.h"

/* Version of the JSON; docs/fields.md describes it. */
#define FIELDS_JSON_VERSION 2

/* Print the first options->top types. `notes`: lines from
 * mpdata_notes_of_profile(); proposes: with better orders, as JSON always has.
 * Error: NOMEM. */
enum mprof_err fields_text(FILE *out, const struct mpdata_profile *profile,
                           const struct mpdata_fields *fields,
                           const char *notes, bool proposes,
                           const struct show_options *options);
enum mprof_err fields_json(struct mpdata_sink *sink,
                           const struct mpdata_profile *profile,
                           const struct mpdata_fields *fields,
                           const char *notes,
                           const struct show_options *options);
