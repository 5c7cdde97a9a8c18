/* budget.h -- limits that are broken, for people and for the log of a build.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_VIEW_BUDGET_H
#define MPDATA_VIEW_BUDGET_H

#include "profdata/base/sink.h"
#include "profdata/judge/budget.h"
#include "profdata/view/show.h"

/* The version of the JSON; docs/budget.md has its form. */
#define BUDGET_JSON_VERSION 1

/* "FILE:LINE: what is how much, and the limit", on one line. */
void budget_text_line(FILE *out, const char *file,
                      const struct mpdata_budget_limit *limit,
                      const struct mpdata_budget_result *result);
/* The same for GitHub, which shows it at that line of the file. False without
 * memory. */
bool budget_text_annotation(FILE *out, const char *file,
                            const struct mpdata_budget_limit *limit,
                            const struct mpdata_budget_result *result);
/* And any other message. */
void budget_text_annotate(FILE *out, const char *file, uint32_t line,
                          const char *message);

/* What became of all limits. Error: NOMEM. */
enum mprof_err budget_json(struct mpdata_sink *sink, const char *file,
                           const struct mpdata_budget *budget,
                           const struct mpdata_budget_result *results);

/* The call stacks of those that are marked, a byte for each context, that have
 * most of the limit's metric; options->top of them. Error: NOMEM. */
enum mprof_err budget_text_most(FILE *out, const struct mpdata_profile *profile,
                                const uint8_t *marks,
                                const struct mpdata_budget_limit *limit,
                                const struct show_options *options,
                                const struct mpdata_demangler *demangler);

/* Those that grew most against a baseline. Error: NOMEM. */
enum mprof_err budget_text_grown(FILE *out,
                                 const struct mpdata_profile *profile,
                                 const struct mpdata_profile *baseline,
                                 const uint8_t *marks,
                                 const struct mpdata_budget_limit *limit,
                                 const struct show_options *options,
                                 const struct mpdata_demangler *demangler);

#endif
