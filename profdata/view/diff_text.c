/* diff_text.c -- prints the differences of two profiles as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/views.h"
#include "profdata/view/page.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <string.h>

#define OLD MPDATA_DIFF_OLD
#define NEW MPDATA_DIFF_NEW
#define ARROW " -> "
#define NOT_MEASURED "not measured"
/* Width of "+12.34 MiB     +12.34 MiB  shrunk     ". */
#define NUMBERS_WIDTH 38
/* Width of "+12.34 MiB  shrunk  1.50 MiB -> 12.34 MiB  ". */
#define NAMED_WIDTH 48
/* The summary is SUMMARY_WIDTH wide with columns of COLUMN_MAX and percentages.
 */
#define COLUMN_MAX 14
#define COLUMN_MIN 12
#define SUMMARY_WIDTH 76

struct page {
    FILE *out;
    const struct mpdata_diff *diff;
    const struct diff_options *options;
    const struct show_style *style;
    int column; /* width of a number in the summary */
    struct show_stack *stacks[MPDATA_DIFF_SIDES];
    bool failed;
};

/* -- words --------------------------------------------------------------------- */

static const char *row_word(const struct page *p)
{
    return p->diff->by == MPDATA_BY_STACK ? "call stack"
                                          : mpdata_by_name(p->diff->by);
}

/* Titles say "now" if either profile is from the middle of a run. */
static const char *title_of(const struct page *p, enum mpdata_metric metric)
{
    const struct mpdata_diff_side *const sides = p->diff->sides;

    return metric == MPDATA_METRIC_LIFETIME
               ? "average lifetime"
               : mpdata_metrics_title(metric, sides[OLD].runs.is_now ||
                                                  sides[NEW].runs.is_now);
}

/* -- numbers ------------------------------------------------------------------- */

static struct mpdata_number format_value(const struct page *p, int side,
                                         enum mpdata_metric metric,
                                         uint64_t value)
{
    const bool is_estimate = p->diff->sides[side].runs.sampled_runs != 0;

    return mpdata_units_format(
        "%s%s", is_estimate ? "~" : "",
        mpdata_metrics_text(metric,
                            mpdata_diff_value(p->diff, side, metric, value))
            .text);
}

/* -- the summary ----------------------------------------------------------------- */

/* Returns the total of a metric; for lifetimes the average per block, which
 * does not depend on the number of runs. */
static uint64_t total_of(const struct mpdata_diff *d, int side,
                         enum mpdata_metric metric)
{
    const struct mprof_mib *const totals = &d->sides[side].totals;
    const uint64_t value = mpdata_metrics_get(totals, metric);

    return metric != MPDATA_METRIC_LIFETIME
               ? value
               : mprof_mul_sat_u64(value / mprof_max_u64(totals->AllocCount, 1),
                                   d->sides[side].per[metric]);
}

static void print_total(const struct page *p, enum mpdata_metric metric)
{
    const struct mpdata_diff *const d = p->diff;
    const bool is_held =
        d->sides[OLD].held[metric] && d->sides[NEW].held[metric];
    const uint64_t values[] = {total_of(d, OLD, metric),
                               total_of(d, NEW, metric)};

    if (!d->sides[OLD].held[metric] && !d->sides[NEW].held[metric])
        return;
    fprintf(p->out, "  %-22s", title_of(p, metric));
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++)
        fprintf(p->out, "%*s", p->column,
                d->sides[side].held[metric]
                    ? format_value(p, side, metric, values[side]).text
                    : NOT_MEASURED);
    if (is_held) {
        const struct mpdata_number growth =
            mpdata_diff_growth(d, metric, values[OLD], values[NEW]);

        fprintf(p->out, "%*s", p->column,
                mpdata_diff_change_text(d, metric, values).text);
        if (growth.text[0] != '\0' && p->column == COLUMN_MAX)
            fprintf(p->out, " %9s", growth.text);
    }
    fputc('\n', p->out);
}

static void print_counts(const struct page *p, const char *title,
                         uint64_t old_count, uint64_t new_count)
{
    fprintf(p->out, "  %-22s%*s%*s\n", title, p->column,
            mpdata_units_count(old_count).text, p->column,
            mpdata_units_count(new_count).text);
}

/* Prints that the sums of a sampled profile are estimates. */
static void print_sampled(FILE *out, const struct mpdata_run_totals *runs,
                          const char *before)
{
    if (runs->sampled_runs != 0)
        fprintf(out, "%s~ estimates: one block in each %s%s was sampled\n",
                before, mpdata_units_bytes(runs->sample_period_bytes).text,
                runs->sampled_runs > 1 ? " or less" : "");
}

/* Prints what was hidden and sampled, below the totals. */
static void print_notes(struct page *p)
{
    const struct mpdata_diff_side *const sides = p->diff->sides;
    static const char *const before[] = {[OLD] = "  old: ", [NEW] = "  new: "};
    struct page_wrap wrap;
    FILE *const out = page_wrap_start(&wrap);

    if (out == NULL) {
        p->failed = true;
        return;
    }
    if (p->options->show.wrapped + sides[OLD].runs.sampled_runs +
            sides[NEW].runs.sampled_runs !=
        0)
        fputc('\n', out);
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++)
        print_sampled(out, &sides[side].runs, before[side]);
    page_wrappers(out, &p->options->show, "  ");
    if (!page_wrap_finish(&wrap, p->out, strlen(before[OLD]),
                          p->options->show.width))
        p->failed = true;
}

static void print_summary(const struct page *p)
{
    const struct mpdata_diff_side *const sides = p->diff->sides;
    static const char *const titles[] = {"old", "new"};

    fprintf(p->out, "%sHeap profiles compared%s\n\n", p->style->strong,
            p->style->reset);
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++) {
        fprintf(p->out, "  %s  ", titles[side]);
        page_plain(p->out, p->options->names[side]);
        fputc('\n', p->out);
    }
    fprintf(p->out, "\n  %-22s%*s%*s%*s\n", "", p->column, titles[OLD],
            p->column, titles[NEW], p->column, "change");
    if (sides[OLD].runs.runs != 0 || sides[NEW].runs.runs != 0)
        print_counts(p, "runs", sides[OLD].runs.runs, sides[NEW].runs.runs);
    print_counts(
        p, "call stacks",
        (uint64_t)sides[OLD].view.context_count + p->options->joined[OLD],
        (uint64_t)sides[NEW].view.context_count + p->options->joined[NEW]);
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        print_total(p, (enum mpdata_metric)m);
    if (p->diff->is_per_run && sides[OLD].runs.runs == sides[NEW].runs.runs)
        fputs("\n  All numbers are averages of the runs that measured them;\n"
              "  --absolute compares sums.\n",
              p->out);
    else if (p->diff->is_per_run)
        fputs("\n  All numbers are averages per run: the profiles have\n"
              "  different numbers of runs; --absolute compares sums.\n",
              p->out);
    else if (sides[OLD].runs.runs != sides[NEW].runs.runs)
        fputs("\n  The profiles have different numbers of runs;\n"
              "  their sums are compared.\n",
              p->out);
}

/* -- blocks of a row ------------------------------------------------------- */

/* Prints "before OLD -> NEW behind", or just one text if the other is empty or
 * equal. */
static void print_both(struct page_line *line, const char *before,
                       const struct mpdata_number texts[MPDATA_DIFF_SIDES],
                       const char *behind)
{
    const char *const old_text = texts[OLD].text;
    const char *const new_text = texts[NEW].text;
    const bool is_both = old_text[0] != '\0' && new_text[0] != '\0' &&
                         strcmp(old_text, new_text) != 0;

    page_piece(line, "%s%s%s%s%s", before,
               old_text[0] != '\0' ? old_text : new_text, is_both ? ARROW : "",
               is_both ? new_text : "", behind);
}

/* Formats a rate: "4.5", or from a hundred on "1,234". */
static struct mpdata_number format_rate(uint64_t accesses, uint64_t blocks)
{
    return accesses / 100 < blocks
               ? mpdata_units_format("%.1f", (double)accesses / (double)blocks)
               : mpdata_units_count(mprof_add_sat_u64(accesses, blocks / 2) /
                                    blocks);
}

/* Formats a metric per block, of the blocks of its moment. Returns false if it
 * was not measured for all blocks. */
static bool format_per_block(const struct page *p, enum mpdata_metric metric,
                             const struct mprof_mib mibs[MPDATA_DIFF_SIDES],
                             struct mpdata_number texts[MPDATA_DIFF_SIDES])
{
    const enum mpdata_metric counted = mpdata_metrics_pair(metric).blocks;

    for (int side = 0; side < MPDATA_DIFF_SIDES; side++) {
        const uint64_t blocks = mpdata_metrics_get(&mibs[side], counted);
        const uint64_t value = mpdata_metrics_get(&mibs[side], metric);

        texts[side] = (struct mpdata_number){""};
        if (blocks == 0)
            continue;
        if (!p->diff->sides[side].held[metric])
            return false;
        texts[side] = metric == MPDATA_METRIC_ACCESSES
                          ? format_rate(value, blocks)
                          : mpdata_metrics_text(metric, value / blocks);
    }
    return true;
}

static void print_behaviour(const struct page *p,
                            const struct mpdata_diff_row *row)
{
    struct page_line line = {.out = p->out,
                             .indent = strlen(PAGE_INDENT),
                             .width = p->options->show.width};
    struct mprof_mib mibs[MPDATA_DIFF_SIDES];
    uint32_t flags[MPDATA_DIFF_SIDES];
    const struct mpdata_metric_pair pair = mpdata_metrics_pair(p->diff->metric);
    const char *word = mpdata_metrics[pair.blocks].many;
    struct mpdata_number texts[MPDATA_DIFF_SIDES] = {{""}, {""}};

    for (int side = 0; side < MPDATA_DIFF_SIDES; side++) {
        mpdata_diff_mib(p->diff, row, side, &mibs[side], &flags[side]);
        if (mibs[side].AllocCount == 0)
            continue;
        texts[side] = format_value(
            p, side, pair.blocks, mpdata_metrics_get(&mibs[side], pair.blocks));
        word = strcmp(texts[side].text, "1") == 0
                   ? mpdata_metrics[pair.blocks].one
                   : mpdata_metrics[pair.blocks].many;
    }
    print_both(&line, "", texts, mpdata_units_format(" %s", word).text);
    if (format_per_block(p, pair.bytes, mibs, texts) &&
        (texts[OLD].text[0] != '\0' || texts[NEW].text[0] != '\0'))
        print_both(&line, "", texts, " per block");
    if (((flags[OLD] | flags[NEW]) & MPROF_CONTEXT_FL_NOT_MEASURED) != 0)
        page_piece(&line, "accesses not measured");
    else if (format_per_block(p, MPDATA_METRIC_ACCESSES, mibs, texts))
        print_both(&line, "", texts, " accesses per block");
    if (format_per_block(p, MPDATA_METRIC_LIFETIME, mibs, texts))
        print_both(&line, "lived ", texts, " on average");
    fputc('\n', p->out);
}

/* -- rows --------------------------------------------------------------------------- */

static void print_row(const struct page *p, uint64_t number,
                      const struct mpdata_diff_row *row)
{
    const struct mpdata_diff *const d = p->diff;
    const enum mpdata_diff_kind kind = mpdata_diff_kind(d, row);
    const int side = row->first[NEW] != 0 ? NEW : OLD;

    fprintf(p->out, "%s%2" PRIu64 ".  %s%s  %s", p->style->strong, number,
            mpdata_diff_change_text(d, d->metric, row->self).text,
            p->style->reset, mpdata_diff_kind_name(kind));
    if (kind == MPDATA_DIFF_GROWN_KIND || kind == MPDATA_DIFF_SHRUNK_KIND) {
        const struct mpdata_number growth =
            mpdata_diff_growth(d, d->metric, row->self[OLD], row->self[NEW]);

        fprintf(p->out, ", %s" ARROW "%s",
                format_value(p, OLD, d->metric, row->self[OLD]).text,
                format_value(p, NEW, d->metric, row->self[NEW]).text);
        fprintf(p->out, growth.text[0] != '\0' ? " (%s%s%s)" : "%s%s%s",
                p->style->accent, growth.text, p->style->reset);
    }
    fputc('\n', p->out);
    print_behaviour(p, row);
    show_stack_print(p->out, p->stacks[side],
                     d->sides[side].view.contexts[row->first[side] - 1].node,
                     0);
    fputc('\n', p->out);
}

/* Formats a side of a row, "-" if that profile does not have the row. */
static struct mpdata_number format_side(const struct page *p, int side,
                                        const struct mpdata_diff_row *row)
{
    return row->first[side] == 0
               ? (struct mpdata_number){"-"}
               : format_value(p, side, p->diff->metric, row->self[side]);
}

/* Prints "+12.34 MiB  shrunk  1.50 MiB ->  12.3 MiB  name". */
static void print_named(struct page *p, const struct mpdata_diff_row *row)
{
    const struct mpdata_diff *const d = p->diff;
    const int side = row->first[NEW] != 0 ? NEW : OLD;
    const mpdata_string name = row->first[side] - 1;

    fprintf(p->out, "%12s  %-7s %10s" ARROW "%10s  ",
            mpdata_diff_change_text(d, d->metric, row->self).text,
            mpdata_diff_kind_name(mpdata_diff_kind(d, row)),
            format_side(p, OLD, row).text, format_side(p, NEW, row).text);
    if (name == 0)
        fputs("[not known]\n", p->out);
    else if (!page_name(p->out, &p->options->show,
                        d->sides[side].view.strings[name].bytes, NAMED_WIDTH))
        p->failed = true;
}

static void print_group(const struct page *p, const struct mpdata_diff_row *row)
{
    const struct mpdata_diff *const d = p->diff;
    const int side = row->first[NEW] != 0 ? NEW : OLD;

    fprintf(p->out, "%12s  %12s  %-8s  ",
            mpdata_diff_change_text(d, d->metric, row->self).text,
            mpdata_diff_change_text(d, d->metric, row->total).text,
            mpdata_diff_kind_name(mpdata_diff_kind(d, row)));
    page_frame(p->out, p->stacks[side], row->first[side] - 1, d->by,
               page_room(&p->options->show, NUMBERS_WIDTH));
}

/* Prints "3 new, 1 gone, 2 grown, 0 shrunk, 17 unchanged". */
static void print_kinds(const struct page *p)
{
    const struct mpdata_diff *const d = p->diff;
    const char *before = "";

    page_title(p->out, p->style, "What %s changed by %s",
               mpdata_units_plural(row_word(p), 0).text,
               title_of(p, d->metric));
    fputs("  ", p->out);
    for (int i = 1; i <= MPDATA_DIFF_KIND_COUNT; i++) {
        const enum mpdata_diff_kind kind =
            (enum mpdata_diff_kind)(i % MPDATA_DIFF_KIND_COUNT);

        fprintf(p->out, "%s%s %s", before,
                mpdata_units_count(d->kinds[kind]).text,
                mpdata_diff_kind_name(kind));
        before = ", ";
    }
    fputc('\n', p->out);
    if (d->unmeasured != 0)
        fprintf(p->out,
                "  %s not compared: accesses to their blocks were not "
                "measured\n",
                mpdata_units_count(d->unmeasured).text);
    fputc('\n', p->out);
}

static void print_rows(struct page *p)
{
    const struct mpdata_diff *const d = p->diff;
    const uint32_t shown =
        (uint32_t)mprof_min_u64(d->count, p->options->show.top);

    if (!d->is_held) {
        fprintf(p->out, "\nCannot compare %s: not measured in %s%s.\n",
                title_of(p, d->metric),
                !d->sides[OLD].held[d->metric] ? !d->sides[NEW].held[d->metric]
                                                     ? "either profile"
                                                     : "the old profile"
                                               : "the new profile",
                mpdata_metrics_how(d->metric));
        return;
    }
    print_kinds(p);
    if (d->by != MPDATA_BY_STACK && !mpdata_by_is_name(d->by) && shown != 0)
        fprintf(p->out, "%12s  %12s\n", "self", "total");
    for (uint32_t i = 0; i < shown; i++) {
        if (d->by == MPDATA_BY_STACK)
            print_row(p, (uint64_t)i + 1, &d->rows[i]);
        else if (mpdata_by_is_name(d->by))
            print_named(p, &d->rows[i]);
        else
            print_group(p, &d->rows[i]);
    }
    page_more(p->out, p->style, shown, d->count, row_word(p), "%s", "");
}

static bool open_page(struct page *p)
{
    p->column =
        p->options->show.width < SUMMARY_WIDTH ? COLUMN_MIN : COLUMN_MAX;
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++)
        p->stacks[side] =
            show_stack_new(p->diff->sides[side].profile, &p->options->show);
    return p->stacks[OLD] != NULL && p->stacks[NEW] != NULL;
}

static enum mprof_err close_page(struct page *p)
{
    bool is_done = !p->failed;

    for (int side = 0; side < MPDATA_DIFF_SIDES; side++) {
        is_done = is_done && p->stacks[side] != NULL &&
                  !show_stack_failed(p->stacks[side]);
        show_stack_free(p->stacks[side]);
    }
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

enum mprof_err diff_text(FILE *out, const struct mpdata_diff *diff,
                         const uint32_t *rows, uint32_t count,
                         const struct diff_options *options)
{
    struct page p = {.out = out,
                     .diff = diff,
                     .options = options,
                     .style = &options->show.style};

    if (open_page(&p)) {
        for (uint32_t i = 0; i < count; i++)
            print_row(&p, (uint64_t)i + 1, &diff->rows[rows[i]]);
        if (rows == NULL) {
            print_summary(&p);
            print_notes(&p);
            print_rows(&p);
        }
    }
    return close_page(&p);
}
