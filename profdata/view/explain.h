/* explain.h -- prints why allocation sites are cold or hot, for people and as
 * JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/judge/explain.h"
#include "profdata/judge/pool_groups.h"
#include "profdata/view/show.h"

/* Version of the JSON; docs/explain.md describes it. */
#define EXPLAIN_JSON_VERSION 1

/* Print the verdicts of a profile and the sites made from them. `notes`: lines
 * from mpdata_notes_of_profile(). Error: NOMEM. */
enum mprof_err explain_text(FILE *out, const struct mpdata_profile *profile,
                            const struct mpdata_verdicts *verdicts,
                            const struct mpdata_explain *explain,
                            const char *notes,
                            const struct show_options *options,
                            const struct mpdata_demangler *demangler);
enum mprof_err explain_json(struct mpdata_sink *sink,
                            const struct mpdata_profile *profile,
                            const struct mpdata_verdicts *verdicts,
                            const struct mpdata_explain *explain,
                            const char *notes,
                            const struct show_options *options,
                            const struct mpdata_demangler *demangler);

/* Print the groups of call stacks whose blocks are used together. */
enum mprof_err explain_groups_text(FILE *out,
                                   const struct mpdata_profile *profile,
                                   const struct mpdata_pool_groups *groups,
                                   const char *notes,
                                   const struct show_options *options,
                                   const struct mpdata_demangler *demangler);
enum mprof_err explain_groups_json(struct mpdata_sink *sink,
                                   const struct mpdata_profile *profile,
                                   const struct mpdata_pool_groups *groups,
                                   const char *notes,
                                   const struct show_options *options,
                                   const struct mpdata_demangler *demangler);
