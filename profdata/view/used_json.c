/* used_json.c -- writes what compilations used of a profile as JSON
 * (docs/usage.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/json_out.h"
#include "profdata/view/views.h"

static void put_counts(struct mpdata_json_out *json, const char *key,
                       const struct mpdata_use_word *words,
                       const uint64_t *counts, int count)
{
    mpdata_json_out_map_of(json, key);
    for (int i = 0; i < count; i++)
        mpdata_json_out_number_of(json, words[i].word, counts[i]);
    mpdata_json_out_close_map(json);
}

static void put_sums(struct mpdata_json_out *json,
                     const struct mpdata_use_sums *sums)
{
    put_counts(json, "functions", mpdata_use_states, sums->functions,
               MPDATA_USE_STATES);
    mpdata_json_out_number_of(json, "places", sums->places);
    mpdata_json_out_number_of(json, "found", sums->found);
    put_counts(json, "sites", mpdata_use_outcomes, sums->sites,
               MPDATA_USE_OUTCOMES);
    mpdata_json_out_number_of(json, "bytes", sums->bytes);
    mpdata_json_out_number_of(json, "cold_bytes", sums->cold_bytes);
    mpdata_json_out_number_of(json, "hot_bytes", sums->hot_bytes);
    mpdata_json_out_number_of(json, "link_bytes", sums->link_bytes);
    mpdata_json_out_number_of(json, "lost_bytes", sums->lost_bytes);
}

static void put_module(struct mpdata_json_out *json,
                       const struct mpdata_use_module *module)
{
    mpdata_json_out_row(json);
    mpdata_json_out_text_of(json, "name", module->name);
    mpdata_json_out_text_of(json, "profile", module->profile);
    put_sums(json, &module->sums);
    mpdata_json_out_close_map(json);
}

static void put_function(struct mpdata_json_out *json,
                         const struct mpdata_use_function *f)
{
    mpdata_json_out_row(json);
    mpdata_json_out_text_of(json, "name", f->name);
    mpdata_json_out_id_of(json, "guid", f->guid);
    mpdata_json_out_text_of(json, "state", mpdata_use_states[f->state].word);
    mpdata_json_out_number_of(json, "places", f->places);
    mpdata_json_out_number_of(json, "found", f->found);
    mpdata_json_out_close_map(json);
}

static void put_site(struct mpdata_json_out *json,
                     const struct mpdata_use_site *site)
{
    mpdata_json_out_row(json);
    mpdata_json_out_text_of(json, "function", site->function);
    mpdata_json_out_text_of(json, "callee", site->callee);
    mpdata_json_out_text_of(json, "place", site->place);
    mpdata_json_out_text_of(json, "outcome",
                            mpdata_use_outcomes[site->outcome].word);
    mpdata_json_out_number_of(json, "stacks", site->stacks);
    mpdata_json_out_number_of(json, "bytes", site->bytes);
    mpdata_json_out_number_of(json, "cold_bytes", site->cold_bytes);
    mpdata_json_out_number_of(json, "hot_bytes", site->hot_bytes);
    mpdata_json_out_close_map(json);
}

static void put_lists(struct mpdata_json_out *json,
                      const struct mpdata_use_log *log, uint64_t top)
{
    const struct mpdata_use_module *const modules = log->modules.data;
    const struct mpdata_use_function *const functions = log->functions.data;
    const struct mpdata_use_site *const sites = log->sites.data;

    uint64_t shown = 0;

    mpdata_json_out_line(json);
    mpdata_json_out_array_of(json, "modules");
    for (uint32_t i = 0; i < log->modules.count && shown < top; i++) {
        if (modules[i].is_replaced)
            continue;
        put_module(json, &modules[i]);
        shown++;
    }
    mpdata_json_out_close_array(json);
    mpdata_json_out_line(json);
    mpdata_json_out_array_of(json, "functions");
    for (uint32_t i = 0; i < log->functions.count && i < top; i++)
        put_function(json, &functions[i]);
    mpdata_json_out_close_array(json);
    mpdata_json_out_line(json);
    mpdata_json_out_array_of(json, "sites");
    for (uint32_t i = 0; i < log->sites.count && i < top; i++)
        put_site(json, &sites[i]);
    mpdata_json_out_close_array(json);
}

enum mprof_err used_json(struct mpdata_sink *sink,
                         const struct mpdata_use_log *log,
                         const struct show_options *options)
{
    struct mpdata_json_out json;
    const bool is_open = mpdata_json_out_init(&json, sink);

    if (is_open) {
        mpdata_json_out_open_map(&json);
        mpdata_json_out_number_of(&json, "memprofdata-used", USED_JSON_VERSION);
        mpdata_json_out_number_of(&json, "modules_compiled_again",
                                  log->replaced);
        mpdata_json_out_line(&json);
        mpdata_json_out_map_of(&json, "totals");
        put_sums(&json, &log->sums);
        mpdata_json_out_close_map(&json);
        put_lists(&json, log, options->top);
        mpdata_json_out_close_map(&json);
        mpdata_json_out_line(&json);
    }
    mpdata_json_out_fini(&json);
    return is_open && !sink->failed ? MPROF_E_OK : MPROF_E_NOMEM;
}
