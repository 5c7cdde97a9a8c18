/* show_groups.c -- prints a profile by function, line or file as a table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/page.h"

static void print_rest(FILE *out, const struct mpdata_groups *groups,
                       uint64_t whole, const struct show_options *options)
{
    const char *const thing = mpdata_by_name(options->by);
    uint64_t rest = 0;

    for (uint64_t i = options->top; i < groups->count; i++)
        rest = mprof_add_sat_u64(rest, groups->rows[i].self[0]);
    if (groups->count > options->top)
        fputc('\n', out);
    if (rest != 0 && groups->divisor == 0)
        page_more(out, &options->style, options->top, groups->count, thing,
                  ", %s by themselves", mpdata_units_share(rest, whole).text);
    else
        page_more(out, &options->style, options->top, groups->count, thing,
                  "%s", "");
}

void show_groups(FILE *out, const struct mpdata_groups *groups, uint64_t whole,
                 const struct show_options *options, struct show_stack *stack)
{
    if (groups->count == 0)
        fprintf(out, "\nNo %s has any %s.\n", mpdata_by_name(options->by),
                options->title);
    if (groups->count == 0 || options->top == 0)
        return;
    page_table_title(out, options);
    fprintf(out, "%18s  %18s\n", "self", "total");
    for (uint32_t i = 0; i < groups->count && i < options->top; i++) {
        const struct mpdata_group *const g = &groups->rows[i];

        page_value(out, options, mpdata_metrics_rank(g->self, groups->divisor),
                   whole);
        page_value(out, options, mpdata_metrics_rank(g->total, groups->divisor),
                   whole);
        page_frame(out, stack, g->frame, options->by,
                   page_room(options, PAGE_VALUES_WIDTH));
    }
    print_rest(out, groups, whole, options);
}
