/* show_events.c -- prints events or copies by name and call stack. The weights
 * of memprof_event() have units chosen by the program, so they are not added up
 * over names. The weights of copies are bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/query/event_list.h"
#include "profdata/view/plain.h"
#include "profdata/view/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct page {
    FILE *out;
    const struct show_options *options;
    struct show_stack *stack;
    struct mpdata_view view;
    struct mpdata_event_list list;
    bool are_copies;
};

static const char *text_of_weight(const struct page *p, uint64_t weight,
                                  char out[MPDATA_UNIT_BYTES])
{
    return p->are_copies ? mpdata_units_bytes(weight, out, MPDATA_UNIT_BYTES)
                         : mpdata_units_count(weight, out, MPDATA_UNIT_BYTES);
}

/* Prints a name chosen by the program. */
static void print_name(const struct page *p, mpdata_string name)
{
    const struct show_style *const style = &p->options->style;

    fputs(style->strong, p->out);
    plain_print(p->out, p->view.strings[name].bytes);
    if (p->view.strings[name].size == 0)
        fputs("[no name]", p->out);
    fputs(style->reset, p->out);
}

/* Prints "12 times, 1 to 90, 345 in all". */
static void print_sum(const struct page *p, const struct mpdata_event_sum *sum)
{
    char count[MPDATA_UNIT_BYTES];
    char low[MPDATA_UNIT_BYTES];
    char high[MPDATA_UNIT_BYTES];
    char all[MPDATA_UNIT_BYTES];

    fprintf(p->out, "%s time%s",
            mpdata_units_count(sum->count, count, sizeof(count)),
            sum->count == 1 ? "" : "s");
    if (sum->weight == 0)
        return;
    fprintf(p->out, ", %s", text_of_weight(p, sum->lightest, low));
    if (sum->lightest != sum->heaviest)
        fprintf(p->out, " to %s", text_of_weight(p, sum->heaviest, high));
    if (sum->count != 1)
        fprintf(p->out, "%s, %s in all",
                sum->lightest != sum->heaviest ? "" : " each",
                text_of_weight(p, sum->weight, all));
}

/* Prints the share of `whole` in front of a row: by weight, or by number if all
 * weights are 0. */
static void print_share(const struct page *p,
                        const struct mpdata_event_sum *sum,
                        const struct mpdata_event_sum *whole)
{
    char share[MPDATA_UNIT_BYTES];
    const bool weighs = whole->weight != 0;

    fprintf(p->out, "%s%s%s", p->options->style.accent,
            mpdata_units_share(weighs ? sum->weight : sum->count,
                               weighs ? whole->weight : whole->count, share,
                               sizeof(share)),
            p->options->style.reset);
}

/* Prints the first options->top of the rows [first, first + count). */
static void print_stacks(const struct page *p, uint32_t first, uint32_t count,
                         const struct mpdata_event_sum *whole)
{
    const uint32_t shown = (uint32_t)mprof_min_u64(count, p->options->top);
    char number[MPDATA_UNIT_BYTES];

    for (uint32_t i = 0; i < shown; i++) {
        const struct mpdata_event_row *const row = &p->list.rows[first + i];

        fprintf(p->out, "%s%2" PRIu32 ".%s  ", p->options->style.strong, i + 1,
                p->options->style.reset);
        print_share(p, &row->sum, whole);
        fputs("  ", p->out);
        if (p->are_copies) {
            print_name(p, p->view.tagged_rows[row->tagged].name);
            fputs(" ", p->out);
        }
        print_sum(p, &row->sum);
        fputc('\n', p->out);
        show_stack_print(p->out, p->stack,
                         p->view.tagged_rows[row->tagged].node, i);
        fputc('\n', p->out);
    }
    if (count != shown)
        fprintf(p->out,
                "%s%s more call stack%s; --top=%" PRIu32 " shows all%s\n\n",
                p->options->style.dim,
                mpdata_units_count(count - shown, number, sizeof(number)),
                count - shown == 1 ? "" : "s", count, p->options->style.reset);
}

static void print_events(const struct page *p)
{
    fprintf(p->out, "\n%sEvents%s\n\n", p->options->style.strong,
            p->options->style.reset);
    for (uint32_t i = 0; i < p->list.name_count; i++) {
        const struct mpdata_event_name *const name = &p->list.names[i];

        print_name(p, name->name);
        fputs("  ", p->out);
        print_sum(p, &name->sum);
        fputs("\n\n", p->out);
        print_stacks(p, name->first, name->count, &name->sum);
    }
}

static void print_copies(struct page *p)
{
    char all[MPDATA_UNIT_BYTES];
    char count[MPDATA_UNIT_BYTES];

    fprintf(p->out, "\n%sCopies%s  %s in %s calls\n\n",
            p->options->style.strong, p->options->style.reset,
            text_of_weight(p, p->list.all.weight, all),
            mpdata_units_count(p->list.all.count, count, sizeof(count)));
    for (uint32_t i = 0; i < p->list.name_count; i++) {
        fputs("     ", p->out);
        print_share(p, &p->list.names[i].sum, &p->list.all);
        fputs("  ", p->out);
        print_name(p, p->list.names[i].name);
        fputs(" ", p->out);
        print_sum(p, &p->list.names[i].sum);
        fputc('\n', p->out);
    }
    fputc('\n', p->out);
    mpdata_event_list_mix(&p->list);
    print_stacks(p, 0, p->list.row_count, &p->list.all);
}

enum mprof_err show_events(FILE *out, const struct mpdata_profile *profile,
                           const struct show_options *options,
                           struct show_stack *stack)
{
    struct page p = {.out = out,
                     .options = options,
                     .stack = stack,
                     .view = mpdata_profile_view(profile),
                     .are_copies = options->view == SHOW_COPIES};
    const enum mprof_err err = mpdata_event_list_make(
        &p.list, profile, p.are_copies ? MPROF_TAG_COPY : MPROF_TAG_EVENT);

    if (err == MPROF_E_OK && p.list.row_count == 0 &&
        options->left_out->count != 0)
        fprintf(out, "\nNo %s were recorded, or the filters left none.\n",
                p.are_copies ? "copies" : "events");
    else if (err == MPROF_E_OK && p.list.row_count == 0)
        fputs(p.are_copies ? "\nNo copies were recorded: run the program with "
                             "\nMEMPROF_OPTIONS=copies=1.\n"
                           : "\nNo events were recorded: the program must call "
                             "memprof_event().\n",
              out);
    else if (err == MPROF_E_OK && p.are_copies)
        print_copies(&p);
    else if (err == MPROF_E_OK)
        print_events(&p);
    mpdata_event_list_fini(&p.list);
    return err;
}
