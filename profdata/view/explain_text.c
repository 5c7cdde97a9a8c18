/* explain_text.c -- prints why allocation sites are cold or hot as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/views.h"
#include "profdata/view/page.h"

#include <stdlib.h>
#include <string.h>

/* Width of " 17.2 MiB   75.0 %  not-measured  ". */
#define NUMBERS_WIDTH 34
#define PAGE_BYTES 4096

struct page {
    FILE *out;
    const struct mpdata_view view;
    const struct mpdata_verdicts *verdicts;
    const struct mpdata_explain *explain;
    const struct show_options *options;
    const struct show_style *style;
    struct show_stack *stack;
    uint32_t row; /* number of call stacks printed so far */
    bool held[MPDATA_METRIC_COUNT];
};

/* -- numbers ----------------------------------------------------------------- */

static struct mpdata_number format_bytes(double bytes)
{
    return mpdata_units_bytes(mpdata_verdict_whole(bytes));
}

/* Formats a share between 0 and 1 as a percentage. */
static struct mpdata_number format_share(double share)
{
    return share > 0 && share < 0.0005
               ? (struct mpdata_number){"<0.1 %"}
               : mpdata_units_format("%.1f %%", share * 100);
}

/* Formats a factor: "12", "0.3", "1/250". */
static struct mpdata_number format_times(double times)
{
    if (times >= 9.95)
        return mpdata_units_count(mpdata_verdict_whole(times + 0.5));
    return times >= 0.095
               ? mpdata_units_format("%.1f", times)
               : mpdata_units_format(
                     "1/%s",
                     mpdata_units_count(mpdata_verdict_whole(1 / times + 0.5))
                         .text);
}

/* Returns the bytes by which rows are measured: average live ones or, if no run
 * has lifetimes, allocated ones; "" if they are unknown. */
static struct mpdata_number format_amount(const struct page *p,
                                          const struct mpdata_verdict *v)
{
    const bool is_live = p->verdicts->run_ns > 0;

    if (!p->held[MPDATA_METRIC_BYTES] || v->has_lifetime != is_live)
        return (struct mpdata_number){""};
    return format_bytes(is_live ? v->resident_bytes : (double)v->bytes);
}

/* Prints "17.2 MiB   75.0 %". */
static void print_amount(const struct page *p, const struct mpdata_verdict *v)
{
    fprintf(p->out, "%10s %8s", format_amount(p, v).text,
            v->has_lifetime ? format_share(v->resident_share).text : "");
}

/* -- sentences --------------------------------------------------------------- */

static void print_blocks(const struct page *p, const struct mpdata_verdict *v)
{
    if (!p->held[MPDATA_METRIC_BLOCKS])
        return;
    fprintf(p->out, PAGE_INDENT "%s",
            mpdata_units_things(v->blocks, "block").text);
    if (p->held[MPDATA_METRIC_BYTES])
        fprintf(
            p->out, " of %s",
            mpdata_units_bytes(v->blocks != 0 ? v->bytes / v->blocks : 0).text);
    if (v->has_lifetime) {
        fputs(v->blocks == 1 ? ", which lives" : " on average, which live",
              p->out);
        if (v->life_share <= 1)
            fprintf(p->out, " for %s of an average run",
                    format_share(v->life_share).text);
        else /* merged runs of several lengths */
            fprintf(p->out, " %s times as long as an average run",
                    format_times(v->life_share).text);
    }
    fputc('\n', p->out);
}

static void print_accesses(const struct page *p, const struct mpdata_verdict *v)
{
    if (!v->has_accesses)
        return;
    fprintf(p->out, PAGE_INDENT "%s of all accesses, %s",
            format_share(v->access_share).text,
            mpdata_units_per_8_bytes(v->accesses, v->bytes).text);
    if (v->has_lifetime && v->heat > 0)
        fprintf(p->out, "; %s times the usual", format_times(v->heat).text);
    else if (v->accesses != 0 &&
             v->accesses == v->bytes / MPDATA_VERDICT_FILL_BYTES)
        fputs("; as many as fill it once", p->out);
    fputc('\n', p->out);
}

/* Prints what a hint saves. The call stacks of a mixed site share one call, so
 * they need several hints. */
static void print_saving(const struct page *p, const struct mpdata_verdict *v,
                         bool is_mixed)
{
    const uint64_t count = (v->saved_bytes + PAGE_BYTES - 1) / PAGE_BYTES;

    if (v->loose_bytes != 0)
        fprintf(p->out,
                PAGE_INDENT "as dense blocks %s less, if their type "
                            "needs an alignment of 8 bytes only\n",
                mpdata_units_bytes(v->loose_bytes).text);
    if (v->saved_bytes == 0)
        return;
    fprintf(p->out, PAGE_INDENT "%s %s, %s, away from the rest%s\n",
            is_mixed ? "hints keep" : "a hint keeps",
            mpdata_units_bytes(v->saved_bytes).text,
            mpdata_units_things(count, "page").text,
            is_mixed ? ", if the compiler can tell the call stacks apart" : "");
}

/* -- sites ------------------------------------------------------------------- */

/* Prints "cold in 3 call stacks, none in 12". */
static void print_mixture(const struct page *p,
                          const struct mpdata_explain_site *site)
{
    const char *before = PAGE_INDENT;

    for (int k = 0; k < MPDATA_VERDICT_KINDS; k++) {
        if (site->stacks[k] == 0)
            continue;
        fprintf(p->out, "%s%s in %s", before, mpdata_verdict_words[k],
                mpdata_units_things(site->stacks[k], "call stack").text);
        before = ", ";
    }
    fputc('\n', p->out);
}

static void print_stack(struct page *p, uint32_t context)
{
    const struct mpdata_verdict *const v = &p->verdicts->rows[context];
    const struct mpdata_number amount = format_amount(p, v);

    fprintf(p->out, PAGE_INDENT "%s%s%s%s%s: %s\n", p->style->accent,
            mpdata_verdict_words[v->kind], p->style->reset,
            amount.text[0] != '\0' ? ", " : "", amount.text,
            mpdata_verdict_reasons[v->reason].sentence);
    print_accesses(p, v);
    show_stack_print(p->out, p->stack, p->view.contexts[context].node,
                     p->row++);
}

/* Chooses the stacks to print: for a mixed site the largest one of each
 * verdict. */
static uint32_t choose_stacks(const struct page *p,
                              const struct mpdata_explain_site *site,
                              uint32_t chosen[MPDATA_VERDICT_KINDS])
{
    bool has[MPDATA_VERDICT_KINDS] = {false};
    uint32_t count = 0;

    for (uint32_t i = 0; site->is_mixed && i < site->count; i++) {
        const uint32_t context = p->explain->contexts[site->first + i];
        const enum mpdata_verdict_kind kind = p->verdicts->rows[context].kind;

        if (!has[kind])
            chosen[count++] = context;
        has[kind] = true;
    }
    return count;
}

static void print_site(struct page *p, const struct mpdata_explain_site *site)
{
    const struct mpdata_verdict *const sum = &site->sum;
    uint32_t stacks[MPDATA_VERDICT_KINDS];
    const uint32_t count = choose_stacks(p, site, stacks);

    fputc('\n', p->out);
    print_amount(p, sum);
    fprintf(p->out, "  %s%-12s%s  ", p->style->accent,
            site->is_mixed ? "mixed" : mpdata_verdict_words[sum->kind],
            p->style->reset);
    if (site->frame == 0)
        fputs("[unknown]\n", p->out);
    else
        page_frame(p->out, p->stack, site->frame - 1, MPDATA_BY_CALL,
                   page_room(p->options, NUMBERS_WIDTH));
    if (site->is_mixed)
        print_mixture(p, site);
    else
        fprintf(p->out, PAGE_INDENT "%s\n",
                mpdata_verdict_reasons[sum->reason].sentence);
    print_blocks(p, sum);
    print_accesses(p, sum);
    print_saving(p, sum, site->is_mixed);
    for (uint32_t i = 0; i < count; i++)
        print_stack(p, stacks[i]);
}

/* -- the page ---------------------------------------------------------------- */

/* Prints what density gains at all call stacks together. */
static void print_density(const struct page *p, uint64_t loose, double resident)
{
    if (loose != 0)
        fprintf(p->out, "Dense blocks would save up to %s, %s\n",
                mpdata_units_bytes(loose).text,
                format_share((double)loose / resident).text);
    else if (resident > 0)
        fputs("Dense blocks would save nothing: sizes fit the allocator's, or "
              "blocks are short-lived\n",
              p->out);
}

static void print_totals(const struct page *p)
{
    const char *const no_gain = mpdata_verdict_no_gain(p->verdicts);
    uint64_t loose = 0;

    fprintf(p->out, "%s%s%s\n", p->style->strong,
            p->verdicts->run_ns > 0 ? "Average live bytes"
                                    : "What was allocated",
            p->style->reset);
    for (int k = 0; k < MPDATA_VERDICT_KINDS; k++) {
        const struct mpdata_explain_total *const total = &p->explain->totals[k];

        if (total->stacks == 0)
            continue;
        loose = mprof_add_sat_u64(loose, total->sum.loose_bytes);
        print_amount(p, &total->sum);
        fprintf(p->out, "  %s%-12s%s  %s", p->style->accent,
                mpdata_verdict_words[k], p->style->reset,
                mpdata_units_things(total->stacks, "call stack").text);
        if (total->sum.has_accesses)
            fprintf(p->out, ", %s of the accesses",
                    format_share(total->sum.access_share).text);
        fputc('\n', p->out);
    }
    print_density(p, loose, p->verdicts->resident_bytes);
    if (mpdata_verdict_gains_by_huge_pages(p->verdicts))
        fprintf(p->out,
                "Huge pages help: blocks that live long and are not cold hold "
                "%s\n",
                mpdata_units_bytes(mpdata_verdict_whole(
                                       mpdata_verdict_busy_bytes(p->verdicts)))
                    .text);
    if (no_gain != NULL)
        fprintf(p->out, "Nothing to gain with this input: %s\n", no_gain);
}

/* Compares the stacks to be printed, so that similar ones show their columns.
 */
static bool compare_stacks(const struct page *p, uint32_t shown)
{
    uint32_t *const contexts =
        calloc((size_t)shown * MPDATA_VERDICT_KINDS + 1, sizeof(*contexts));
    uint32_t count = 0;

    if (contexts == NULL)
        return false;
    for (uint32_t s = 0; s < shown; s++)
        count += choose_stacks(p, &p->explain->rows[s], contexts + count);
    show_stack_compare(p->stack, contexts, count);
    free(contexts);
    return true;
}

static void print_rows(struct page *p)
{
    const uint32_t shown =
        (uint32_t)mprof_min_u64(p->explain->count, p->options->top);

    if (!compare_stacks(p, shown)) {
        show_stack_fail(p->stack);
        return;
    }
    for (uint32_t i = 0; i < shown; i++)
        print_site(p, &p->explain->rows[i]);
    if (p->explain->count > shown)
        fputc('\n', p->out);
    page_more(p->out, p->style, shown, p->explain->count, "site", "%s", "");
}

enum mprof_err explain_text(FILE *out, const struct mpdata_profile *profile,
                            const struct mpdata_verdicts *verdicts,
                            const struct mpdata_explain *explain,
                            const char *notes,
                            const struct show_options *options)
{
    struct page p = {.out = out,
                     .view = mpdata_profile_view(profile),
                     .verdicts = verdicts,
                     .explain = explain,
                     .options = options,
                     .style = &options->style,
                     .stack = show_stack_new(profile, options)};
    bool is_done =
        p.stack != NULL && mpdata_metrics_held(profile, p.held) == MPROF_E_OK;

    if (is_done) {
        print_totals(&p);
        is_done = page_notes(out, options, notes);
        print_rows(&p);
        is_done = is_done && !show_stack_failed(p.stack);
    }
    show_stack_free(p.stack);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}
