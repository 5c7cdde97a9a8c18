/* show_list.c -- prints the largest call stacks, each with how its blocks were
 * used.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/str.h"
#include "profdata/query/names.h"
#include "profdata/query/frames.h"
#include "profdata/view/show_page.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TYPE PAGE_INDENT "of type "
#define HEAT_COLUMNS_MAX 64
#define HEAT_TEXT 42 /* columns beside the strip */

/* Prints "in 1,000 blocks of 48 B" or "in 50 blocks of 8 B to 1.2 KiB"; after a
 * value of another moment "allocated 1.2 KiB in 50 blocks of 24 B". */
static void print_blocks(const struct show_page *p, const struct mprof_mib *mib)
{
    if (!p->list->held[MPDATA_METRIC_BLOCKS])
        return;
    if (mpdata_metrics_pair(p->options->sort).bytes != MPDATA_METRIC_BYTES)
        fputs("allocated ", p->out);
    if (p->options->sort != MPDATA_METRIC_BYTES &&
        p->list->held[MPDATA_METRIC_BYTES])
        fprintf(p->out, "%s ", mpdata_units_bytes(mib->TotalSize).text);
    fprintf(p->out, "in %s",
            mpdata_units_things(mib->AllocCount, "block").text);
    if (mib->MaxSize == 0 &&
        (mib->TotalSize != 0 || !p->list->held[MPDATA_METRIC_BYTES]))
        return; /* the file lacks these fields */
    fprintf(p->out, " of %s", mpdata_units_bytes(mib->MinSize).text);
    if (mib->MinSize != mib->MaxSize)
        fprintf(p->out, " to %s", mpdata_units_bytes(mib->MaxSize).text);
}

/* Formats "lived 34.3 us on average, all freed". */
static void format_life(const struct show_page *p,
                        const struct mpdata_context *context,
                        const struct mprof_mib *mib, char *out, size_t size)
{
    const uint64_t average =
        mib->AllocCount != 0 ? mib->TotalLifetimeNs / mib->AllocCount : 0;
    int n;

    if (p->list->held[MPDATA_METRIC_LIFETIME] &&
        mpdata_metrics_has_lifetime(context, mib, &p->list->runs))
        n = snprintf(
            out, size, "lived %s%s", show_summary_time(p, average).text,
            mib->AllocCount > 1 && average >= p->list->runs.resolution_ns
                ? " on average"
                : "");
    else
        n = snprintf(out, size, "lifetime not recorded");
    out += n;
    size -= (size_t)n;
    if (show_summary_live_runs(p) != 0 &&
        show_summary_live_runs(p) == p->list->runs.runs && mib->LiveCount == 0)
        snprintf(out, size, ", all freed");
    else if (mib->LiveCount != 0 && mib->LiveCount == mib->AllocCount &&
             mib->LiveBytes == mib->TotalSize)
        snprintf(out, size, ", none freed");
    else if (mib->LiveCount != 0 && !p->list->held[MPDATA_METRIC_LIVE_BLOCKS])
        snprintf(out, size, ", %s not freed",
                 mpdata_units_bytes(mib->LiveBytes).text);
    else if (mib->LiveCount != 0)
        snprintf(out, size, ", %s not freed (%s)",
                 mpdata_units_count(mib->LiveCount).text,
                 mpdata_units_bytes(mib->LiveBytes).text);
}

/* May accesses to the blocks have been missed, so that a count of 0 does not
 * mean that there were none? */
static bool is_unseen(const struct show_page *p,
                      const struct mpdata_context *context,
                      const struct mprof_mib *mib)
{
    return (context->flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0 ||
           (((context->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) != 0 ||
             p->list->runs.burst_runs != 0) &&
            mib->TotalAccessCount == 0);
}

static void print_unseen(const struct show_page *p,
                         const struct mpdata_context *context,
                         const struct mprof_mib *mib, const char *life)
{
    int used;

    if ((context->flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0 &&
        p->list->runs.burst_runs != 0)
        used = fprintf(p->out, PAGE_INDENT "no access seen in %s",
                       mpdata_units_things(p->list->runs.bursts, "burst").text);
    else if ((context->flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0)
        used = fprintf(p->out, PAGE_INDENT "no access seen%s%s",
                       p->reason[0] != '\0' ? "; " : "", p->reason);
    else if (mib->TotalAccessCount == 0)
        used = fprintf(p->out, PAGE_INDENT "accesses not measured");
    else
        used = fprintf(
            p->out, PAGE_INDENT "accesses not measured (%s seen)",
            mpdata_units_per_block(mib->TotalAccessCount, mib->AllocCount)
                .text);
    fprintf(p->out, "%s%s\n",
            (size_t)used + 2 + strlen(life) > p->options->width
                ? ",\n" PAGE_INDENT
                : ", ",
            life);
}

/* Prints accesses and lifetimes; the ratio only if the line has room. */
static void print_behaviour(const struct show_page *p,
                            const struct mpdata_context *context,
                            const struct mprof_mib *mib)
{
    struct mpdata_number accesses = {""};
    struct mpdata_number ratio = {""};
    char life[MPDATA_UNIT_BYTES * 6];

    format_life(p, context, mib, life, sizeof(life));
    if (is_unseen(p, context, mib)) {
        print_unseen(p, context, mib, life);
        return;
    }
    if (mpdata_metrics_has_accesses(mib)) {
        accesses = mpdata_units_format(
            "%s%s%s", mib->BurstVariance != 0 ? "about " : "",
            mib->SaturatedCount + mib->UnseenCount != 0 ? "at least " : "",
            mpdata_units_per_block(mib->TotalAccessCount, mib->AllocCount)
                .text);
        ratio = show_summary_ratio(mib);
    }
    if (strlen(PAGE_INDENT) + strlen(accesses.text) + strlen(ratio.text) + 2 +
            strlen(life) >
        p->options->width)
        ratio.text[0] = '\0';
    fprintf(p->out, PAGE_INDENT "%s%s%s%s\n", accesses.text, ratio.text,
            accesses.text[0] != '\0' ? ", " : "", life);
    show_numbers_rw(p->out, mib,
                    (context->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) == 0,
                    PAGE_INDENT, p->options->width);
}

/* Sums up a histogram of `size` cells in `columns` columns. Returns the largest
 * sum. */
static uint64_t sum_columns(struct mpdata_cells_cursor cell, uint64_t size,
                            uint64_t *sums, uint64_t columns)
{
    uint64_t most = 0;

    while (mpdata_cells_next(&cell)) {
        const size_t at =
            (size_t)((unsigned __int128)cell.cell * columns / size);

        sums[at] = mprof_add_sat_u64(sums[at], cell.count);
    }
    for (uint64_t i = 0; i < columns; i++)
        most = mprof_max_u64(most, sums[i]);
    return most;
}

/* Prints the histogram as a strip from the first byte of a block to the last,
 * darker for more accesses. */
static void print_heat(const struct show_page *p,
                       const struct mpdata_context *context,
                       const struct mprof_mib *mib)
{
    static const char shades[] = " .:-=+*#%@";
    const struct mpdata_cells_cursor first =
        MPDATA_VIEW_CELLS(&p->view, context);
    const uint64_t cells =
        mpdata_view_cells(&p->view, mib->AccessHistogramSize);
    const uint64_t columns = mprof_min_u64(
        cells, mprof_min_u64(HEAT_COLUMNS_MAX, p->options->width - HEAT_TEXT));
    uint64_t sums[HEAT_COLUMNS_MAX] = {0};

    if (context->cells.words == NULL || cells < 2)
        return;
    uint64_t most = sum_columns(first, cells, sums, columns);
    if (most == 0)
        return;
    fprintf(p->out, PAGE_INDENT "%saccesses from byte 0 to %s:%s [",
            p->options->style.dim, mpdata_units_bytes(cells * 8).text,
            p->options->style.reset);
    for (uint64_t i = 0; i < columns; i++) {
        const double part = (double)sums[i] / (double)most;

        fputc(shades[sums[i] == 0 ? 0 : 1 + (size_t)(part * 8)], p->out);
    }
    fputs("]\n", p->out);
}

static void print_type(const struct show_page *p,
                       const struct mpdata_context *context)
{
    const mpdata_string type = mpdata_types_of(&p->view, context->node);

    if (type == 0)
        return;
    char *text = strdup(p->view.strings[type].bytes);
    if (text == NULL) {
        show_stack_fail(p->stack);
        return;
    }
    if (!p->options->full_stacks)
        mpdata_names_shorten(text, p->options->width - strlen(TYPE));
    mpdata_controls_replace(text, strlen(text), '?');
    fprintf(p->out, TYPE "%s\n", text);
    free(text);
}

/* Prints everything known about the blocks except their sizes. */
static void print_facts(const struct show_page *page,
                        const struct mpdata_context *context,
                        const struct mprof_mib *mib)
{
    struct show_page lines = *page;
    const struct show_page *const p = &lines;
    struct page_wrap wrap;

    lines.out = page_wrap_start(&wrap);
    if (lines.out == NULL) {
        show_stack_fail(page->stack);
        return;
    }
    print_behaviour(p, context, mib);
    show_numbers_sampled(p->out, mib, p->options->sort, PAGE_INDENT);
    show_numbers_bursts(p->out, mib, PAGE_INDENT);
    show_numbers_peak(p->out, mib, p->options->sort, PAGE_INDENT);
    if (p->options->sort == MPDATA_METRIC_LEAKED ||
        p->options->sort == MPDATA_METRIC_LEAKED_BLOCKS)
        show_numbers_leaks(p->out, mib, PAGE_INDENT);
    if (p->options->sort != MPDATA_METRIC_PEAK &&
        p->options->sort != MPDATA_METRIC_PEAK_BLOCKS) {
        show_numbers_idle(p->out, &p->view, context, PAGE_INDENT);
        show_numbers_contents(p->out, &p->view, context, PAGE_INDENT);
    }
    if (!page_wrap_finish(&wrap, page->out, strlen(PAGE_INDENT),
                          p->options->width))
        show_stack_fail(page->stack);
}

static void print_context(const struct show_page *p, uint32_t row,
                          const struct mpdata_context *context,
                          const struct mprof_mib *mib)
{
    const struct show_style *style = &p->options->style;
    const uint64_t value = mpdata_metrics_get(mib, p->options->sort);

    fprintf(p->out, "%s%2" PRIu64 ".  ", style->strong, (uint64_t)row + 1);
    if (p->options->sort == MPDATA_METRIC_LIFETIME) {
        fprintf(p->out, "%s a block%s",
                mpdata_metrics_phrase(p->options->sort,
                                      value / mprof_max_u64(mib->AllocCount, 1))
                    .text,
                style->reset);
    } else {
        fprintf(p->out, "%s%s  %s%s%s",
                mpdata_metrics_phrase(p->options->sort, value).text,
                style->reset, style->accent,
                mpdata_units_share(value, mpdata_metrics_get(&p->list->totals,
                                                             p->options->sort))
                    .text,
                style->reset);
    }
    fputs(p->list->held[MPDATA_METRIC_BLOCKS] ? "  " : "", p->out);
    print_blocks(p, mib);
    fputc('\n', p->out);
    print_type(p, context);
    print_facts(p, context, mib);
    print_heat(p, context, mib);
    show_stack_print(p->out, p->stack, context->node, row);
    fputc('\n', p->out);
}

/* `shown_value`: sum of options->sort over the printed rows. */
static void print_rest(const struct show_page *p, uint64_t shown,
                       uint64_t shown_value)
{
    const uint64_t all = mpdata_metrics_get(&p->list->totals, p->options->sort);
    const struct mpdata_number share =
        mpdata_units_share(all - mprof_min_u64(shown_value, all), all);

    if (p->options->sort == MPDATA_METRIC_LIFETIME)
        page_more(p->out, &p->options->style, shown, p->list->listed_count,
                  "call stack", "%s", "");
    else
        page_more(p->out, &p->options->style, shown, p->list->listed_count,
                  "call stack", ", %s of the %s", share.text,
                  p->options->title);
}

void show_list(const struct show_page *p)
{
    const uint64_t all = p->list->listed_count;
    const uint32_t shown = p->list->count;
    uint64_t shown_value = 0;

    if (all == 0)
        fprintf(p->out, "\nNo call stack has any %s.\n", p->options->title);
    if (shown == 0)
        return;
    if (shown < all)
        page_title(p->out, &p->options->style, "Top %s by %s%s",
                   mpdata_units_things(shown, "call stack").text,
                   p->options->title, p->options->estimates);
    else
        page_title(p->out, &p->options->style, "Call stacks by %s%s",
                   p->options->title, p->options->estimates);
    show_stack_compare(p->stack, p->list->rows, shown);
    for (uint32_t i = 0; i < shown; i++) {
        const uint32_t row = p->list->rows[i];
        const struct mprof_mib mib = mpdata_view_mib(&p->view, row);

        print_context(p, i, &p->view.contexts[row], &mib);
        shown_value = mprof_add_sat_u64(
            shown_value, mpdata_metrics_get(&mib, p->options->sort));
    }
    print_rest(p, shown, shown_value);
}
