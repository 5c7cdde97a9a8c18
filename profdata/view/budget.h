/* budget.h -- prints exceeded and uncertain limits, for people and for the log
 * of a build.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/judge/budget.h"
#include "profdata/view/show.h"

/* Version of the JSON; docs/budget.md describes it. */
#define BUDGET_JSON_VERSION 1

/* Prints one line, "FILE:LINE: ...": the measured value and the limit. */
void budget_text_line(FILE *out, const char *file,
                      const struct mpdata_budget_limit *limit,
                      const struct mpdata_budget_result *result);
/* Prints the same as a GitHub annotation of that line of the file. Returns
 * false when out of memory. */
bool budget_text_annotation(FILE *out, const char *file,
                            const struct mpdata_budget_limit *limit,
                            const struct mpdata_budget_result *result);
/* Prints any message as a GitHub annotation; level: "error" or "warning". */
void budget_text_annotate(FILE *out, const char *level, const char *file,
                          uint32_t line, const char *message);

/* Writes the results of all limits. Error: NOMEM. */
enum mprof_err budget_json(struct mpdata_sink *sink, const char *file,
                           const struct mpdata_budget *budget,
                           const struct mpdata_budget_result *results);

/* Prints the marked call stacks (one byte for each context) with the largest
 * values of the limit's metric; options->top of them. Error: NOMEM. */
enum mprof_err budget_text_most(FILE *out, const struct mpdata_profile *profile,
                                const uint8_t *marks,
                                const struct mpdata_budget_limit *limit,
                                const struct show_options *options,
                                const struct mpdata_demangler *demangler);

/* Like budget_text_most(), for the call stacks that grew most against a
 * baseline. Error: NOMEM. */
enum mprof_err budget_text_grown(FILE *out,
                                 const struct mpdata_profile *profile,
                                 const struct mpdata_profile *baseline,
                                 const uint8_t *marks,
                                 const struct mpdata_budget_limit *limit,
                                 const struct show_options *options,
                                 const struct mpdata_demangler *demangler);
