/* views.h -- the views of commands other than show.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/judge/advice.h"
#include "profdata/view/show.h"
#include "profdata/judge/budget.h"
#include "profdata/judge/explain.h"
#include "profdata/judge/pool_groups.h"
#include "profdata/judge/use_log.h"
#include "profdata/compare/diff.h"

/* advice -- prints what to change in a program: for people, as JSON, and as
 * SARIF 2.1.0, which editors and code review show beside the source. */

/* Version of the JSON; docs/advise.md describes it. */
#define ADVICE_JSON_VERSION 1

/* Print the first options->top pieces of advice. Error: NOMEM. */
typedef enum mprof_err advice_fn(struct mpdata_sink *sink,
                                 const struct mpdata_profile *profile,
                                 const struct mpdata_advice *advice,
                                 const struct show_options *options);
advice_fn advice_json;
advice_fn advice_json_sarif;
enum mprof_err advice_text(FILE *out, const struct mpdata_profile *profile,
                           const struct mpdata_advice *advice,
                           const struct show_options *options);

/* budget -- prints exceeded and uncertain limits, for people and for the log
 * of a build. */

/* Version of the JSON; docs/budget.md describes it. */
#define BUDGET_JSON_VERSION 1

/* Prints one line, "FILE:LINE: ...": the measured value and the limit. */
void budget_text_line(FILE *out, const char *file,
                      const struct mpdata_budget_limit *limit,
                      const struct mpdata_budget_result *result);

/* Writes the results of all limits. Error: NOMEM. */
enum mprof_err budget_json(struct mpdata_sink *sink, const char *file,
                           const struct mpdata_budget *budget,
                           const struct mpdata_budget_result *results);

/* Prints the marked call stacks (one byte for each context) with the largest
 * values of the limit's metric; options->top of them. Error: NOMEM. */
enum mprof_err budget_text_most(FILE *out, const struct mpdata_profile *profile,
                                const uint8_t *marks,
                                const struct mpdata_budget_limit *limit,
                                const struct show_options *options);

/* Prints the call stack of the site that a limit of advice is about. */
enum mprof_err budget_text_site(FILE *out, const struct mpdata_profile *profile,
                                mpdata_ref node,
                                const struct show_options *options);

/* Like budget_text_most(), for the call stacks that grew most against a
 * baseline. Error: NOMEM. */
enum mprof_err budget_text_grown(FILE *out,
                                 const struct mpdata_profile *profile,
                                 const struct mpdata_profile *baseline,
                                 const uint8_t *marks,
                                 const struct mpdata_budget_limit *limit,
                                 const struct show_options *options);

/* explain -- prints why allocation sites are cold or hot, for people and as
 * JSON. */

/* Version of the JSON; docs/explain.md describes it. */
#define EXPLAIN_JSON_VERSION 1

/* Print the verdicts of a profile and the sites made from them. `notes`: lines
 * from mpdata_notes_of_profile(). Error: NOMEM. */
enum mprof_err explain_text(FILE *out, const struct mpdata_profile *profile,
                            const struct mpdata_verdicts *verdicts,
                            const struct mpdata_explain *explain,
                            const char *notes,
                            const struct show_options *options);
enum mprof_err explain_json(struct mpdata_sink *sink,
                            const struct mpdata_profile *profile,
                            const struct mpdata_verdicts *verdicts,
                            const struct mpdata_explain *explain,
                            const char *notes,
                            const struct show_options *options);

/* Print the groups of call stacks whose blocks are used together. */
enum mprof_err explain_groups_text(FILE *out,
                                   const struct mpdata_profile *profile,
                                   const struct mpdata_pool_groups *groups,
                                   const char *notes,
                                   const struct show_options *options);
enum mprof_err explain_groups_json(struct mpdata_sink *sink,
                                   const struct mpdata_profile *profile,
                                   const struct mpdata_pool_groups *groups,
                                   const char *notes,
                                   const struct show_options *options);

/* used -- prints what compilations used of a profile, for people and as JSON.
 */

/* Version of the JSON; docs/usage.md describes it. */
#define USED_JSON_VERSION 1

/* Print a complete log; use top and style. Error: NOMEM. */
enum mprof_err used_text(FILE *out, const struct mpdata_use_log *log,
                         const struct show_options *options);
enum mprof_err used_json(struct mpdata_sink *sink,
                         const struct mpdata_use_log *log,
                         const struct show_options *options);

/* diff -- prints the differences of two profiles, for people and as JSON. */

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
                         const struct diff_options *options);

/* Writes the comparison as a JSON document. Error: NOMEM. */
enum mprof_err diff_json(struct mpdata_sink *out,
                         const struct mpdata_diff *diff,
                         const struct diff_options *options);
