/* show_groups.c -- prints a profile by function, line or file as a table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/view/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH_MIN 20

struct table {
    FILE *out;
    struct show_stack *stack;
    const struct show_options *options;
    const struct mpdata_groups *groups;
    uint64_t whole; /* total of options->sort in the profile */
};

static void print_group(const struct table *t, uint32_t i, size_t room)
{
    const struct mpdata_group *const g = &t->groups->rows[i];
    const struct show_style *const style = &t->options->style;
    char *name;
    char *location;

    if (!show_stack_describe(t->stack, g->frame, t->options->by, room, &name,
                             &location))
        return;
    show_value_print(t->out, t->options,
                     mpdata_metrics_rank(g->self, t->groups->divisor),
                     t->whole);
    show_value_print(t->out, t->options,
                     mpdata_metrics_rank(g->total, t->groups->divisor),
                     t->whole);
    fprintf(t->out, "%s%s%s", style->strong, name, style->reset);
    if (location[0] != '\0')
        fprintf(t->out, "  %s%s%s", style->dim, location, style->reset);
    fputc('\n', t->out);
    free(name);
    free(location);
}

static void print_rest(const struct table *t, uint32_t shown)
{
    const uint32_t more = t->groups->count - shown;
    uint64_t rest = 0;
    char count[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];

    if (more == 0)
        return;
    for (uint32_t i = shown; i < t->groups->count; i++)
        rest = mprof_add_sat_u64(rest, t->groups->rows[i].self[0]);
    fprintf(t->out, "\n%s%s more %s", t->options->style.dim,
            mpdata_units_count(more, count, sizeof(count)),
            (more == 1 ? show_by_name : show_by_plural)(t->options->by));
    if (rest != 0 && t->groups->divisor == 0)
        fprintf(t->out, ", %s by themselves",
                mpdata_units_share(rest, t->whole, share, sizeof(share)));
    fprintf(t->out, "; --top=%" PRIu32 " shows all%s\n", t->groups->count,
            t->options->style.reset);
}

void show_groups(FILE *out, const struct mpdata_groups *groups, uint64_t whole,
                 const struct show_options *options, struct show_stack *stack)
{
    const struct table t = {.out = out,
                            .stack = stack,
                            .options = options,
                            .groups = groups,
                            .whole = whole};
    const uint32_t shown = (uint32_t)mprof_min_u64(groups->count, options->top);
    const size_t room =
        mprof_max_u64(options->width, SHOW_NUMBERS_WIDTH + NAME_WIDTH_MIN) -
        SHOW_NUMBERS_WIDTH;

    if (groups->count == 0)
        fprintf(out, "\nNo %s has any %s.\n", show_by_name(options->by),
                options->title);
    if (shown == 0)
        return;
    fprintf(out, "\n%s%c%s by %s%s%s\n\n%18s  %18s\n", options->style.strong,
            show_by_plural(options->by)[0] - 'a' + 'A',
            show_by_plural(options->by) + 1, options->title, options->estimates,
            options->style.reset, "self", "total");
    for (uint32_t i = 0; i < shown; i++)
        print_group(&t, i, room);
    print_rest(&t, shown);
}
