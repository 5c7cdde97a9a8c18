/* explain_groups.c -- prints which call stacks' blocks are used together, as
 * text and JSON (docs/explain.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frame_json.h"
#include "profdata/view/views.h"
#include "profdata/view/page.h"

#define LEAVES_MAX 6 /* of a group's call stacks that are printed */

static const char no_links[] =
    "no links between blocks were recorded: that needs a run without sample "
    "and links=0, in which blocks outlive some 4,000 allocations";

/* -- text ------------------------------------------------------------------- */

static uint32_t leaf_of(const struct mpdata_view *view, uint32_t context)
{
    const mpdata_ref node = view->contexts[context].node;

    return node != 0 ? view->nodes[node - 1].frame + 1 : 0;
}

/* Chooses the largest call stack of each of the first few leaves. */
static uint32_t choose_leaves(const struct mpdata_view *view,
                              const struct mpdata_pool_groups *groups,
                              const struct mpdata_pool_group *g,
                              uint32_t chosen[LEAVES_MAX])
{
    uint32_t count = 0;

    for (uint32_t k = 0; k < g->count && count < LEAVES_MAX; k++) {
        const uint32_t context = groups->contexts[g->first + k];
        uint32_t i = 0;

        while (i < count && leaf_of(view, chosen[i]) != leaf_of(view, context))
            i++;
        if (i == count)
            chosen[count++] = context;
    }
    return count;
}

static void print_group(FILE *out, const struct mpdata_view *view,
                        const struct mpdata_pool_groups *groups,
                        const struct mpdata_pool_group *g,
                        const struct show_options *options,
                        struct show_stack *stack)
{
    uint32_t chosen[LEAVES_MAX];
    const uint32_t count = choose_leaves(view, groups, g, chosen);

    fprintf(out, "\n%10s  %s",
            mpdata_units_bytes(mpdata_verdict_whole(g->resident_bytes)).text,
            options->style.accent);
    if (g->pool != 0)
        fprintf(out, "pool %u", (unsigned)g->pool);
    else
        fputs("no pool", out);
    fprintf(out, "%s\n" PAGE_INDENT "%s\n", options->style.reset,
            mpdata_pool_group_reasons[g->reason].sentence);
    fprintf(out, PAGE_INDENT "%s of ",
            mpdata_units_things(g->blocks, "block").text);
    fprintf(out, "%s, %.1f %% of all accesses\n",
            mpdata_units_things(g->count, "call stack").text,
            g->access_share * 100);
    fprintf(out, PAGE_INDENT "%.1f %% of the live bytes of all small blocks\n",
            g->small_share * 100);
    if (g->is_shared)
        fputs(PAGE_INDENT "its calls make other blocks, too: a pool if the "
                          "compiler can tell the call stacks apart\n",
              out);
    show_stack_compare(stack, chosen, count);
    for (uint32_t i = 0; i < count; i++)
        show_stack_print(out, stack, view->contexts[chosen[i]].node, i);
}

enum mprof_err explain_groups_text(FILE *out,
                                   const struct mpdata_profile *profile,
                                   const struct mpdata_pool_groups *groups,
                                   const char *notes,
                                   const struct show_options *options)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct show_stack *const stack = show_stack_new(profile, options);
    const uint32_t shown = (uint32_t)mprof_min_u64(groups->count, options->top);
    bool is_done = stack != NULL;

    if (is_done) {
        fprintf(out,
                "%sGroups of call stacks whose small blocks are used "
                "together%s\n",
                options->style.strong, options->style.reset);
        if (groups->count == 0)
            fprintf(out, "%s\n",
                    groups->has_links
                        ? "nothing to gain: no blocks that were allocated "
                          "together point to each other and are used"
                        : no_links);
        is_done = page_notes(out, options, notes);
        for (uint32_t i = 0; i < shown; i++)
            print_group(out, &view, groups, &groups->rows[i], options, stack);
        if (groups->count > shown)
            fputc('\n', out);
        page_more(out, &options->style, shown, groups->count, "group", "%s",
                  "");
        is_done = is_done && !show_stack_failed(stack);
    }
    show_stack_free(stack);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- JSON ------------------------------------------------------------------- */

static void put_group(struct mpdata_json_out *json,
                      struct mpdata_frame_json *from,
                      const struct mpdata_pool_groups *groups,
                      const struct mpdata_pool_group *g)
{
    mpdata_json_out_row(json);
    mpdata_json_out_number_of(json, "pool", g->pool);
    mpdata_json_out_text_of(json, "why",
                            mpdata_pool_group_reasons[g->reason].name);
    mpdata_json_out_text_of(json, "sentence",
                            mpdata_pool_group_reasons[g->reason].sentence);
    mpdata_json_out_number_of(json, "blocks", g->blocks);
    mpdata_json_out_number_of(json, "resident_bytes",
                              mpdata_verdict_whole(g->resident_bytes));
    mpdata_json_out_real_of(json, "small_share", g->small_share);
    mpdata_json_out_real_of(json, "access_share", g->access_share);
    mpdata_json_out_number_of(json, "weight", mpdata_verdict_whole(g->weight));
    mpdata_json_out_bool_of(json, "shares_calls", g->is_shared);
    mpdata_json_out_array_of(json, "stacks");
    for (uint32_t k = 0; k < g->count; k++) {
        mpdata_json_out_open_map(json);
        mpdata_frame_json_stack(
            from, json,
            from->view.contexts[groups->contexts[g->first + k]].node);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
    mpdata_json_out_close_map(json);
}

enum mprof_err explain_groups_json(struct mpdata_sink *sink,
                                   const struct mpdata_profile *profile,
                                   const struct mpdata_pool_groups *groups,
                                   const char *notes,
                                   const struct show_options *options)
{
    struct mpdata_frame_json from = {
        .profile = profile,
        .view = mpdata_profile_view(profile),
        .names = mpdata_frame_names_new(profile, options->demangler)};
    struct mpdata_json_out json;
    bool failed = !mpdata_json_out_init(&json, sink) || from.names == NULL;

    if (!failed) {
        mpdata_json_out_open_map(&json);
        mpdata_json_out_number_of(&json, "memprofdata-explain",
                                  EXPLAIN_JSON_VERSION);
        mpdata_json_out_known_lines(&json, "notes", notes);
        mpdata_json_out_line(&json);
        mpdata_json_out_array_of(&json, "groups");
        for (uint32_t i = 0; i < groups->count && i < options->top; i++)
            put_group(&json, &from, groups, &groups->rows[i]);
        mpdata_json_out_close_array(&json);
        mpdata_json_out_close_map(&json);
        mpdata_json_out_line(&json);
        failed = from.failed || mpdata_frame_names_failed(from.names);
    }
    mpdata_json_out_fini(&json);
    mpdata_frame_names_free(from.names);
    return failed || sink->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}
