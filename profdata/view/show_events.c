/* show_events.c -- prints events or copies by name and call stack. The weights
 * of memprof_event() have units chosen by the program, so they are not added up
 * over names. The weights of copies are bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/event_list.h"
#include "profdata/query/run_totals.h"
#include "profdata/view/page.h"

#include <inttypes.h>
#include <string.h>

struct page {
    FILE *out;
    const struct show_options *options;
    struct show_stack *stack;
    struct mpdata_view view;
    struct mpdata_event_list list;
    bool are_copies;
};

static struct mpdata_number weight(const struct page *p, uint64_t number)
{
    return p->are_copies ? mpdata_units_bytes(number)
                         : mpdata_units_count(number);
}

/* Prints a name chosen by the program. */
static void print_name(const struct page *p, mpdata_string name)
{
    const struct show_style *const style = &p->options->style;

    fputs(style->strong, p->out);
    page_plain(p->out, p->view.strings[name].bytes);
    if (p->view.strings[name].size == 0)
        fputs("[no name]", p->out);
    fputs(style->reset, p->out);
}

/* Prints "12 times, 1 to 90, 345 in all". */
static void print_sum(const struct page *p, const struct mpdata_event_sum *sum)
{
    fprintf(p->out, "%s", mpdata_units_things(sum->count, "time").text);
    if (sum->weight == 0)
        return;
    fprintf(p->out, ", %s", weight(p, sum->lightest).text);
    if (sum->lightest != sum->heaviest)
        fprintf(p->out, " to %s", weight(p, sum->heaviest).text);
    if (sum->count != 1)
        fprintf(p->out, "%s, %s in all",
                sum->lightest != sum->heaviest ? "" : " each",
                weight(p, sum->weight).text);
}

/* Prints the share of `whole` in front of a row: by weight, or by number if all
 * weights are 0. */
static void print_share(const struct page *p,
                        const struct mpdata_event_sum *sum,
                        const struct mpdata_event_sum *whole)
{
    const bool weighs = whole->weight != 0;

    fprintf(p->out, "%s%s%s", p->options->style.accent,
            mpdata_units_share(weighs ? sum->weight : sum->count,
                               weighs ? whole->weight : whole->count)
                .text,
            p->options->style.reset);
}

/* Prints the first options->top of the rows [first, first + count). */
static void print_stacks(const struct page *p, uint32_t first, uint32_t count,
                         const struct mpdata_event_sum *whole)
{
    const uint32_t shown = (uint32_t)mprof_min_u64(count, p->options->top);

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
    if (count > shown) {
        page_more(p->out, &p->options->style, shown, count, "call stack", "%s",
                  "");
        fputc('\n', p->out);
    }
}

static void print_events(const struct page *p)
{
    page_title(p->out, &p->options->style, "Events");
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
    fprintf(p->out, "\n%sCopies%s  %s in %s calls\n\n",
            p->options->style.strong, p->options->style.reset,
            weight(p, p->list.all.weight).text,
            mpdata_units_count(p->list.all.count).text);
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
        (options->is_filtered || options->is_left_out))
        fprintf(out, "\nNo %s were recorded, or the filters left none.\n",
                p.are_copies ? "copies" : "events");
    else if (err == MPROF_E_OK && p.list.row_count == 0 &&
             mpdata_run_totals_are_moments(&p.view))
        fputs("\nA moment of a log has neither events nor copies.\n", out);
    else if (err == MPROF_E_OK && p.list.row_count == 0)
        fputs(p.are_copies ? "\nNo copies were recorded: run the program with "
                             "MEMPROF_OPTIONS=copies=1.\n"
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
