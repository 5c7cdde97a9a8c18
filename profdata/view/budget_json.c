/* budget_json.c -- writes the results of limits as JSON (docs/budget.md
 * describes it).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/json_out.h"
#include "profdata/view/views.h"

#include <math.h>

static void put_value(struct mpdata_json_out *json, const char *key,
                      const struct mpdata_metric_filter *c, double value)
{
    mpdata_json_out_key(json, key);
    if (c->is_ratio)
        mpdata_json_out_real(json, value);
    else
        mpdata_json_out_number(json, (uint64_t)llround(value));
}

static void put_limit(struct mpdata_json_out *json,
                      const struct mpdata_budget_limit *limit,
                      const struct mpdata_budget_result *result)
{
    const struct mpdata_metric_filter *const c = &limit->conditions[0];

    mpdata_json_out_row(json);
    mpdata_json_out_number_of(json, "line", limit->line);
    if (limit->match != NULL)
        mpdata_json_out_text_of(json, mpdata_budget_scope_name(limit->scope),
                                limit->match);
    mpdata_json_out_text_of(json, "limit", limit->text);
    mpdata_json_out_text_of(json, "metric", mpdata_metrics[c->metric].name);
    put_value(json, "value", c, result->value);
    if (c->is_growth)
        put_value(json, "old", c, result->old_value);
    if (result->is_estimate) {
        mpdata_json_out_real_of(json, "standard_error", result->error);
        mpdata_json_out_bool_of(json, "is_uncertain", result->is_uncertain);
    }
    mpdata_json_out_bool_of(json, "is_broken", result->is_broken);
    mpdata_json_out_known_flag(json, "is_unmatched", result->is_unmatched);
    mpdata_json_out_close_map(json);
}

enum mprof_err budget_json(struct mpdata_sink *sink, const char *file,
                           const struct mpdata_budget *budget,
                           const struct mpdata_budget_result *results)
{
    const struct mpdata_budget_limit *const limits = budget->limits.data;
    struct mpdata_json_out json;
    const bool is_open = mpdata_json_out_init(&json, sink);
    uint32_t broken = 0;
    uint32_t uncertain = 0;

    if (is_open) {
        mpdata_json_out_open_map(&json);
        mpdata_json_out_number_of(&json, "memprofdata_check_budget",
                                  BUDGET_JSON_VERSION);
        mpdata_json_out_text_of(&json, "budget", file);
        mpdata_json_out_array_of(&json, "limits");
        for (uint32_t i = 0; i < budget->limits.count; i++) {
            put_limit(&json, &limits[i], &results[i]);
            broken += results[i].is_broken;
            uncertain += results[i].is_uncertain;
        }
        mpdata_json_out_close_array(&json);
        mpdata_json_out_number_of(&json, "broken", broken);
        mpdata_json_out_number_of(&json, "uncertain", uncertain);
        mpdata_json_out_close_map(&json);
        mpdata_sink_char(sink, '\n');
    }
    mpdata_json_out_fini(&json);
    return is_open ? MPROF_E_OK : MPROF_E_NOMEM;
}
