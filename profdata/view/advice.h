/* advice.h -- prints what to change in a program: for people, as JSON, and as
 * SARIF 2.1.0, which editors and code review show beside the source.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/judge/advice.h"
#include "profdata/view/show.h"

/* Version of the JSON; docs/advise.md describes it. */
#define ADVICE_JSON_VERSION 1

/* Print the first options->top pieces of advice. Error: NOMEM. */
typedef enum mprof_err advice_fn(struct mpdata_sink *sink,
                                 const struct mpdata_profile *profile,
                                 const struct mpdata_advice *advice,
                                 const struct show_options *options,
                                 const struct mpdata_demangler *demangler);
advice_fn advice_json;
advice_fn advice_json_sarif;
enum mprof_err advice_text(FILE *out, const struct mpdata_profile *profile,
                           const struct mpdata_advice *advice,
                           const struct show_options *options,
                           const struct mpdata_demangler *demangler);

/* Writes what was measured, a sentence. */
#define ADVICE_SENTENCE_BYTES 384
void advice_text_sentence(const struct mpdata_advice_row *row,
                          const struct mpdata_advice *advice,
                          char text[ADVICE_SENTENCE_BYTES]);
/* "12.0 MiB, 31.2 % of the peak". */
struct mpdata_number advice_text_saving(const struct mpdata_advice_row *row,
                                        const struct mpdata_advice *advice);
