/* explain_text.c -- prints why allocation sites are cold or hot as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/view/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define INDENT "      "
/* Width of " 17.2 MiB   75.0 %  not-measured  ". */
#define NUMBERS_WIDTH 34
#define NAME_WIDTH_MIN 20
#define PAGE_BYTES 4096
/* Size of a formatted factor or share. */
#define TIMES_BYTES 24

struct page {
    FILE *out;
    const struct mpdata_view view;
    const struct mpdata_verdicts *verdicts;
    const struct mpdata_explain *explain;
    const struct explain_options *options;
    const struct show_style *style;
    struct show_stack *stack;
    uint32_t row; /* number of call stacks printed so far */
};

/* -- numbers ----------------------------------------------------------------- */

static const char *format_bytes(double bytes, char *out, size_t size)
{
    return mpdata_units_bytes(mpdata_verdict_whole(bytes), out, size);
}

/* Formats a share between 0 and 1 as a percentage. */
static const char *format_share(double share, char *out, size_t size)
{
    if (share > 0 && share < 0.0005)
        snprintf(out, size, "<0.1 %%");
    else
        snprintf(out, size, "%.1f %%", share * 100);
    return out;
}

/* Formats a factor: "12", "0.3", "1/250". */
static const char *format_times(double times, char *out, size_t size)
{
    if (times >= 9.95)
        snprintf(out, size, "%.0f", times);
    else if (times >= 0.095)
        snprintf(out, size, "%.1f", times);
    else
        snprintf(out, size, "1/%.0f", 1 / times);
    return out;
}

/* Returns the amount by which rows are measured: average live bytes or, if
 * lifetimes are unknown, allocated bytes. */
static double amount(const struct mpdata_verdict *v)
{
    return v->has_lifetime ? v->resident_bytes : (double)v->bytes;
}

/* Prints "17.2 MiB   75.0 %". */
static void print_amount(const struct page *p, const struct mpdata_verdict *v)
{
    char bytes[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES] = "";

    if (v->has_lifetime)
        format_share(v->resident_share, share, sizeof(share));
    fprintf(p->out, "%10s %8s", format_bytes(amount(v), bytes, sizeof(bytes)),
            share);
}

/* -- sentences --------------------------------------------------------------- */

static void print_blocks(const struct page *p, const struct mpdata_verdict *v)
{
    char count[MPDATA_UNIT_BYTES];
    char bytes[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];

    fprintf(p->out, INDENT "%s block%s of %s",
            mpdata_units_count(v->blocks, count, sizeof(count)),
            mpdata_units_plural(v->blocks),
            mpdata_units_bytes(v->blocks != 0 ? v->bytes / v->blocks : 0, bytes,
                               sizeof(bytes)));
    if (v->has_lifetime)
        fprintf(p->out, "%s, which live for %s of a run",
                v->blocks == 1 ? "" : " on average",
                format_share(v->life_share, share, sizeof(share)));
    fputc('\n', p->out);
}

static void print_accesses(const struct page *p, const struct mpdata_verdict *v)
{
    char share[MPDATA_UNIT_BYTES];
    char rate[MPDATA_UNIT_BYTES];
    char times[TIMES_BYTES];

    if (!v->has_accesses)
        return;
    fprintf(
        p->out, INDENT "%s of all accesses, %s",
        format_share(v->access_share, share, sizeof(share)),
        mpdata_units_per_8_bytes(v->accesses, v->bytes, rate, sizeof(rate)));
    if (v->has_lifetime && v->heat > 0)
        fprintf(p->out, "; %s times the usual",
                format_times(v->heat, times, sizeof(times)));
    else if (v->has_lifetime)
        fputs("; not accessed after it is filled", p->out);
    fputc('\n', p->out);
}

/* Prints what a hint saves. The call stacks of a mixed site share one call, so
 * they need several hints. */
static void print_saving(const struct page *p, const struct mpdata_verdict *v,
                         bool is_mixed)
{
    char bytes[MPDATA_UNIT_BYTES];
    char pages[MPDATA_UNIT_BYTES];
    const uint64_t count = (v->saved_bytes + PAGE_BYTES - 1) / PAGE_BYTES;

    if (v->saved_bytes == 0)
        return;
    fprintf(p->out, INDENT "%s %s, %s page%s, away from the rest%s\n",
            is_mixed ? "hints keep" : "a hint keeps",
            mpdata_units_bytes(v->saved_bytes, bytes, sizeof(bytes)),
            mpdata_units_count(count, pages, sizeof(pages)),
            mpdata_units_plural(count),
            is_mixed ? ", if the compiler can tell the call stacks apart" : "");
}

/* -- sites ------------------------------------------------------------------- */

static void print_name(const struct page *p, uint32_t frame)
{
    const size_t width = p->options->show.width;
    const size_t room =
        mprof_max_u64(width, NUMBERS_WIDTH + NAME_WIDTH_MIN) - NUMBERS_WIDTH;
    char *name;
    char *location;

    if (frame == 0) {
        fputs("[unknown]\n", p->out);
        return;
    }
    if (!show_stack_describe(p->stack, frame - 1, SHOW_BY_CALL, room, &name,
                             &location))
        return;
    fprintf(p->out, "%s%s%s", p->style->strong, name, p->style->reset);
    if (location[0] != '\0')
        fprintf(p->out, "  %s%s%s", p->style->dim, location, p->style->reset);
    fputc('\n', p->out);
    free(name);
    free(location);
}

/* Prints "cold in 3 call stacks, none in 12". */
static void print_mixture(const struct page *p,
                          const struct mpdata_explain_site *site)
{
    const char *before = INDENT;

    for (int k = 0; k < MPDATA_VERDICT_KINDS; k++) {
        char count[MPDATA_UNIT_BYTES];

        if (site->stacks[k] == 0)
            continue;
        fprintf(p->out, "%s%s in %s call stack%s", before,
                mpdata_verdict_words[k],
                mpdata_units_count(site->stacks[k], count, sizeof(count)),
                mpdata_units_plural(site->stacks[k]));
        before = ", ";
    }
    fputc('\n', p->out);
}

static void print_stack(struct page *p, uint32_t context)
{
    const struct mpdata_verdict *const v = &p->verdicts->rows[context];
    char bytes[MPDATA_UNIT_BYTES];

    fprintf(p->out, INDENT "%s%s%s, %s: %s\n", p->style->accent,
            mpdata_verdict_words[v->kind], p->style->reset,
            format_bytes(amount(v), bytes, sizeof(bytes)),
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
    print_name(p, site->frame);
    if (site->is_mixed)
        print_mixture(p, site);
    else
        fprintf(p->out, INDENT "%s\n",
                mpdata_verdict_reasons[sum->reason].sentence);
    print_blocks(p, sum);
    print_accesses(p, sum);
    print_saving(p, sum, site->is_mixed);
    for (uint32_t i = 0; i < count; i++)
        print_stack(p, stacks[i]);
}

/* -- the page ---------------------------------------------------------------- */

static void print_totals(const struct page *p)
{
    char share[MPDATA_UNIT_BYTES];
    char count[MPDATA_UNIT_BYTES];

    fprintf(p->out, "%s%s%s\n", p->style->strong,
            p->verdicts->run_ns > 0 ? "Average live bytes"
                                    : "What was allocated",
            p->style->reset);
    for (int k = 0; k < MPDATA_VERDICT_KINDS; k++) {
        const struct mpdata_explain_total *const total = &p->explain->totals[k];

        if (total->stacks == 0)
            continue;
        print_amount(p, &total->sum);
        fprintf(p->out, "  %s%-12s%s  %s call stack%s", p->style->accent,
                mpdata_verdict_words[k], p->style->reset,
                mpdata_units_count(total->stacks, count, sizeof(count)),
                mpdata_units_plural(total->stacks));
        if (total->sum.has_accesses)
            fprintf(
                p->out, ", %s of the accesses",
                format_share(total->sum.access_share, share, sizeof(share)));
        fputc('\n', p->out);
    }
}

/* Prints what was filtered out and the limits of the measurement. */
static void print_notes(const struct page *p)
{
    static const char before[] = "Note: ";
    struct show_wrap wrap;
    FILE *const out = show_wrap_start(&wrap);
    const char *line = p->options->notes;

    if (out == NULL) {
        show_stack_fail(p->stack);
        return;
    }
    show_left_out(out, p->options->show.left_out, before);
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        fprintf(out, "%s%.*s\n", before, (int)(end - line), line);
    if (!show_wrap_finish(&wrap, p->out, strlen(before),
                          p->options->show.width))
        show_stack_fail(p->stack);
}

/* Compares the stacks to be printed, so that similar ones show their columns.
 */
static bool compare_stacks(const struct page *p, uint32_t shown)
{
    uint32_t *const contexts = (uint32_t *)calloc(
        (size_t)shown * MPDATA_VERDICT_KINDS + 1, sizeof(*contexts));
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
        (uint32_t)mprof_min_u64(p->explain->count, p->options->show.top);
    const uint32_t more = p->explain->count - shown;
    char count[MPDATA_UNIT_BYTES];

    if (!compare_stacks(p, shown)) {
        show_stack_fail(p->stack);
        return;
    }
    for (uint32_t i = 0; i < shown; i++)
        print_site(p, &p->explain->rows[i]);
    if (more != 0)
        fprintf(p->out, "\n%s%s more site%s; --top=%" PRIu32 " shows all%s\n",
                p->style->dim, mpdata_units_count(more, count, sizeof(count)),
                mpdata_units_plural(more), p->explain->count, p->style->reset);
}

enum mprof_err explain_text(FILE *out, const struct mpdata_profile *profile,
                            const struct mpdata_verdicts *verdicts,
                            const struct mpdata_explain *explain,
                            const struct explain_options *options,
                            const struct mpdata_demangler *demangler)
{
    struct page p = {.out = out,
                     .view = mpdata_profile_view(profile),
                     .verdicts = verdicts,
                     .explain = explain,
                     .options = options,
                     .style = &options->show.style,
                     .stack =
                         show_stack_new(profile, &options->show, demangler)};
    bool is_done = p.stack != NULL;

    if (is_done) {
        print_totals(&p);
        print_notes(&p);
        print_rows(&p);
        is_done = !show_stack_failed(p.stack);
    }
    show_stack_free(p.stack);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}
