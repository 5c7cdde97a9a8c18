/* show_text.c -- a profile for people: what ran, the totals, and the call
 * stacks that matter most.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/show.h"
#include "profdata/base/units.h"
#include "profdata/model/run_totals.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LABEL "  %-13s"
#define DETAIL "     "
#define NS_PER_S 1000000000u
#define NS_PER_MS 1000000u
#define PROGRAMS_SHOWN_MAX 3
#define HEAT_COLUMNS_MAX 64

/* What all contexts and runs add up to. */
struct totals {
    struct mprof_mib mib;
    struct mpdata_run_totals of;
    bool has_lifetimes;
    bool has_accesses;
};

struct page {
    FILE *out;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    const struct show_options *options;
    struct totals totals;
    uint64_t context_count; /* of the whole profile */
    uint64_t listed_count;  /* that have something of what is sorted by */
    struct show_stack *stack;
    uint32_t *order; /* contexts */
};

/* -- adding up ------------------------------------------------------------- */

/* Not in a file of LLVM's that holds only what its compiler needs. */
static bool has_accesses(const struct mprof_mib *mib)
{
    return mib->TotalAccessCount != 0 || mib->TotalLifetimeAccessDensity == 0;
}

static enum mprof_err add_up(const struct mpdata_view *view,
                             const struct mpdata_top *top, struct totals *t)
{
    const enum mprof_err err = mpdata_run_totals(view, &t->of);

    if (top != NULL)
        t->mib = top->totals;
    for (uint32_t i = 0; top == NULL && i < view->context_count; i++)
        mprof_mib_merge(&t->mib, &view->contexts[i].mib);
    t->has_accesses = has_accesses(&t->mib);
    t->has_lifetimes = t->mib.TotalLifetimeNs != 0 || t->of.resolution_ns != 0;
    return err;
}

/* -- the summary ----------------------------------------------------------- */

static void print_label(const struct page *p, const char *label)
{
    fprintf(p->out, LABEL "%s", label, "");
}

static void print_path(const struct page *p, mpdata_ref path)
{
    char *text = mpdata_profile_path_string(p->profile, path);

    if (text == NULL)
        show_stack_fail(p->stack);
    for (const char *c = text; c != NULL && *c != '\0'; c++)
        fputc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, p->out);
    free(text);
}

/* The programs of the runs, each once. */
static void print_programs(const struct page *p)
{
    uint8_t *is_known =
        (uint8_t *)mpdata_vec_array((size_t)p->view.path_count + 1, 1);
    uint32_t programs = 0;

    if (is_known == NULL)
        show_stack_fail(p->stack);
    fprintf(p->out, "%sHeap profile", p->options->style.strong);
    for (uint32_t i = 0; is_known != NULL && i < p->view.run_count; i++) {
        const mpdata_ref executable = p->view.runs[i].executable;

        if (executable == 0 || is_known[executable])
            continue;
        is_known[executable] = 1;
        if (programs++ < PROGRAMS_SHOWN_MAX) {
            fputs(programs == 1 ? " of " : ", ", p->out);
            print_path(p, executable);
        }
    }
    free(is_known);
    if (programs > PROGRAMS_SHOWN_MAX)
        fprintf(p->out, " and %" PRIu32 " more programs",
                programs - PROGRAMS_SHOWN_MAX);
    fprintf(p->out, "%s\n\n", p->options->style.reset);
}

static void print_date(FILE *out, uint64_t ns)
{
    const time_t seconds = (time_t)(ns / NS_PER_S);
    struct tm tm;
    char text[32];

    if (gmtime_r(&seconds, &tm) != NULL &&
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm) != 0)
        fputs(text, out);
}

static void print_runs(const struct page *p)
{
    const struct totals *t = &p->totals;
    char number[MPDATA_UNIT_BYTES];

    if (t->of.runs == 0)
        return;
    print_label(p, t->of.runs == 1 ? "run" : "runs");
    fputs(mpdata_units_count(t->of.runs, number, sizeof(number)), p->out);
    if (t->of.duration_ns != 0)
        fprintf(p->out, ", %s%s",
                mpdata_units_ns(t->of.duration_ns, number, sizeof(number)),
                t->of.runs == 1 ? "" : " in all");
    if (t->of.last_start_ns != 0) {
        fputs(", started ", p->out);
        print_date(p->out, t->of.first_start_ns);
        if (t->of.last_start_ns / (60 * (uint64_t)NS_PER_S) !=
            t->of.first_start_ns / (60 * (uint64_t)NS_PER_S)) {
            fputs(" to ", p->out);
            print_date(p->out, t->of.last_start_ns);
        }
        fputs(" UTC", p->out);
    }
    fputc('\n', p->out);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_allocated(const struct page *p)
{
    const struct mprof_mib *mib = &p->totals.mib;
    char bytes[MPDATA_UNIT_BYTES];
    char blocks[MPDATA_UNIT_BYTES];
    char contexts[MPDATA_UNIT_BYTES];
    const uint64_t context_count = p->context_count;

    print_label(p, "allocated");
    fprintf(p->out, "%s in %s block%s, from %s call stack%s\n",
            mpdata_units_bytes(mib->TotalSize, bytes, sizeof(bytes)),
            mpdata_units_count(mib->AllocCount, blocks, sizeof(blocks)),
            plural(mib->AllocCount),
            mpdata_units_count(context_count, contexts, sizeof(contexts)),
            plural(context_count));
}

static void print_accessed(const struct page *p)
{
    const struct mprof_mib *mib = &p->totals.mib;
    char count[MPDATA_UNIT_BYTES];
    char density[MPDATA_UNIT_BYTES];

    print_label(p, "accessed");
    if (!p->totals.has_accesses)
        fputs("not recorded in this file\n", p->out);
    else if (mib->TotalAccessCount == 0)
        fputs("never\n", p->out);
    else
        fprintf(p->out, "%s%s time%s, %s\n",
                mib->SaturatedCount != 0 ? "at least " : "",
                mpdata_units_count(mib->TotalAccessCount, count, sizeof(count)),
                plural(mib->TotalAccessCount),
                mpdata_units_density(mib->TotalAccessCount, mib->TotalSize,
                                     density, sizeof(density)));
}

/* A time as exactly as the clock allows. */
static const char *format_time(const struct page *p, uint64_t ns, char *out,
                               size_t size)
{
    char number[MPDATA_UNIT_BYTES];

    if (ns >= p->totals.of.resolution_ns)
        return mpdata_units_ns(ns, out, size);
    snprintf(
        out, size, "under %s",
        mpdata_units_ns(p->totals.of.resolution_ns, number, sizeof(number)));
    return out;
}

static void print_lived(const struct page *p)
{
    const struct mprof_mib *mib = &p->totals.mib;
    char average[MPDATA_UNIT_BYTES * 2];
    char longest[MPDATA_UNIT_BYTES * 2];

    print_label(p, "lived");
    if (!p->totals.has_lifetimes) {
        fputs("not recorded in this file\n", p->out);
        return;
    }
    fprintf(p->out, "%s on average",
            format_time(p, mib->TotalLifetimeNs / mib->AllocCount, average,
                        sizeof(average)));
    if (mib->MaxLifetimeNs != 0)
        fprintf(p->out, ", %s at most",
                format_time(p, mib->MaxLifetimeNs, longest, sizeof(longest)));
    fputc('\n', p->out);
}

static void print_live(const struct page *p)
{
    const struct totals *t = &p->totals;
    char bytes[MPDATA_UNIT_BYTES];
    char blocks[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];

    print_label(p, "live at end");
    if (t->of.measured_runs == 0)
        fputs("not measured (LLVM's format has no room for it)\n", p->out);
    else if (t->mib.LiveCount == 0)
        fputs("nothing: all was freed", p->out);
    else
        fprintf(p->out, "%s in %s block%s, %s of what was allocated",
                mpdata_units_bytes(t->mib.LiveBytes, bytes, sizeof(bytes)),
                mpdata_units_count(t->mib.LiveCount, blocks, sizeof(blocks)),
                plural(t->mib.LiveCount),
                mpdata_units_share(t->mib.LiveBytes, t->mib.TotalSize, share,
                                   sizeof(share)));
    if (t->of.measured_runs != 0)
        fputs(t->of.measured_runs < t->of.runs
                  ? " (not measured in the runs of LLVM's format)\n"
                  : "\n",
              p->out);
}

/* What profiling itself took, as far as it was measured. */
static void print_own(const struct page *p)
{
    const struct totals *t = &p->totals;
    char time[MPDATA_UNIT_BYTES];
    char calls[MPDATA_UNIT_BYTES];
    char bytes[MPDATA_UNIT_BYTES];

    if (t->of.own_memory_bytes == 0 && t->of.timed_calls == 0)
        return;
    print_label(p, "profiler");
    if (t->of.timed_calls != 0) {
        fprintf(p->out,
                "about %s in malloc, free and their kin (%s call%s timed)\n",
                mpdata_units_ns(t->of.own_time_ns, time, sizeof(time)),
                mpdata_units_count(t->of.timed_calls, calls, sizeof(calls)),
                plural(t->of.timed_calls));
        print_label(p, "");
    }
    fprintf(p->out, "%s of memory%s%s\n",
            mpdata_units_bytes(t->of.own_memory_bytes, bytes, sizeof(bytes)),
            t->of.runs > 1 ? " at most" : "",
            t->of.truncated == 0 && t->of.dropped == 0
                ? ", nothing cut or dropped"
                : "");
}

/* What makes the numbers less than the whole truth. */
static void print_notes(const struct page *p)
{
    const struct totals *t = &p->totals;
    char number[MPDATA_UNIT_BYTES];

    if (t->of.truncated != 0) {
        print_label(p, "note");
        fprintf(p->out,
                "%s call stack%s cut at %" PRIu64
                " frames (malloc_context_size=%" PRIu64 ")\n",
                mpdata_units_count(t->of.truncated, number, sizeof(number)),
                t->of.truncated == 1 ? " was" : "s were", t->of.stack_depth_max,
                t->of.stack_depth_max);
    }
    if (t->of.dropped != 0) {
        print_label(p, "note");
        fprintf(p->out, "%s block%s could not be recorded\n",
                mpdata_units_count(t->of.dropped, number, sizeof(number)),
                plural(t->of.dropped));
    }
    if (t->of.foreign_frees != 0) {
        print_label(p, "note");
        fprintf(p->out, "%s free%s of memory that was never allocated\n",
                mpdata_units_count(t->of.foreign_frees, number, sizeof(number)),
                plural(t->of.foreign_frees));
    }
}

/* -- the list -------------------------------------------------------------- */

size_t show_text_sort_field(enum show_sort sort)
{
    switch (sort) {
    case SHOW_SORT_BYTES:
        return MPROF_MIB_INDEX_TotalSize;
    case SHOW_SORT_BLOCKS:
        return MPROF_MIB_INDEX_AllocCount;
    case SHOW_SORT_ACCESSES:
        return MPROF_MIB_INDEX_TotalAccessCount;
    case SHOW_SORT_LIFETIME:
        return MPROF_MIB_INDEX_TotalLifetimeNs;
    case SHOW_SORT_LIVE:
        return MPROF_MIB_INDEX_LiveBytes;
    }
    return MPROF_MIB_INDEX_TotalSize;
}

static uint64_t sort_value(const struct mprof_mib *mib, enum show_sort sort)
{
    return mprof_mib_get(mib, show_text_sort_field(sort));
}

static const char *sort_title(enum show_sort sort)
{
    switch (sort) {
    case SHOW_SORT_BYTES:
        return "bytes allocated";
    case SHOW_SORT_BLOCKS:
        return "blocks allocated";
    case SHOW_SORT_ACCESSES:
        return "accesses";
    case SHOW_SORT_LIFETIME:
        return "lifetime of all blocks";
    case SHOW_SORT_LIVE:
        return "bytes live at the end";
    }
    return "";
}

/* Largest first; contexts of a canonical profile stand in a fixed order, which
 * settles equal ones. */
static int compare_contexts(const void *a, const void *b, void *context)
{
    const struct page *const p = (const struct page *)context;
    const uint32_t i = *(const uint32_t *)a;
    const uint32_t k = *(const uint32_t *)b;
    const uint64_t x = sort_value(&p->view.contexts[i].mib, p->options->sort);
    const uint64_t y = sort_value(&p->view.contexts[k].mib, p->options->sort);

    if (x != y)
        return x > y ? -1 : 1;
    return (i > k) - (i < k);
}

static void print_sort_value(const struct page *p, uint64_t value)
{
    char text[MPDATA_UNIT_BYTES];

    switch (p->options->sort) {
    case SHOW_SORT_BYTES:
        fputs(mpdata_units_bytes(value, text, sizeof(text)), p->out);
        break;
    case SHOW_SORT_BLOCKS:
        fprintf(p->out, "%s block%s",
                mpdata_units_count(value, text, sizeof(text)), plural(value));
        break;
    case SHOW_SORT_ACCESSES:
        fprintf(p->out, "%s access%s",
                mpdata_units_count(value, text, sizeof(text)),
                value == 1 ? "" : "es");
        break;
    case SHOW_SORT_LIFETIME:
        fputs(mpdata_units_ns(value, text, sizeof(text)), p->out);
        break;
    case SHOW_SORT_LIVE:
        fprintf(p->out, "%s live",
                mpdata_units_bytes(value, text, sizeof(text)));
        break;
    }
}

/* "in 1,000 blocks of 48 B", "in 50 blocks of 8 B to 1.2 KiB". */
static void print_blocks(const struct page *p, const struct mprof_mib *mib)
{
    char bytes[MPDATA_UNIT_BYTES];
    char blocks[MPDATA_UNIT_BYTES];
    char low[MPDATA_UNIT_BYTES];
    char high[MPDATA_UNIT_BYTES];

    if (p->options->sort != SHOW_SORT_BYTES)
        fprintf(p->out, "%s ",
                mpdata_units_bytes(mib->TotalSize, bytes, sizeof(bytes)));
    fprintf(p->out, "in %s block%s",
            mpdata_units_count(mib->AllocCount, blocks, sizeof(blocks)),
            plural(mib->AllocCount));
    mpdata_units_bytes(mib->MinSize, low, sizeof(low));
    mpdata_units_bytes(mib->MaxSize, high, sizeof(high));
    if (mib->MaxSize == 0 && mib->TotalSize != 0)
        return; /* a file without these fields */
    if (mib->MinSize == mib->MaxSize)
        fprintf(p->out, " of %s", low);
    else
        fprintf(p->out, " of %s to %s", low, high);
}

static void print_behaviour(const struct page *p, const struct mprof_mib *mib)
{
    char text[MPDATA_UNIT_BYTES * 2];
    char live[MPDATA_UNIT_BYTES];
    const uint64_t average =
        mib->AllocCount != 0 ? mib->TotalLifetimeNs / mib->AllocCount : 0;

    fputs(DETAIL, p->out);
    if (has_accesses(mib))
        fprintf(p->out, "%s%s, ", mib->SaturatedCount != 0 ? "at least " : "",
                mpdata_units_density(mib->TotalAccessCount, mib->TotalSize,
                                     text, sizeof(text)));
    if (p->totals.has_lifetimes) {
        fprintf(p->out, "lived %s",
                format_time(p, average, text, sizeof(text)));
        if (mib->AllocCount > 1 && average >= p->totals.of.resolution_ns)
            fputs(" on average", p->out);
    } else {
        fputs("lifetime not recorded", p->out);
    }
    if (p->totals.of.measured_runs == p->totals.of.runs && mib->LiveCount == 0)
        fputs(", all freed", p->out);
    else if (mib->LiveCount != 0 && mib->LiveCount == mib->AllocCount)
        fputs(", none freed", p->out);
    else if (mib->LiveCount != 0)
        fprintf(p->out, ", %s not freed (%s)",
                mpdata_units_count(mib->LiveCount, text, sizeof(text)),
                mpdata_units_bytes(mib->LiveBytes, live, sizeof(live)));
    fputc('\n', p->out);
}

/* The histogram as a strip from the first byte of a block to the last, darker
 * where there were more accesses. */
static void print_heat(const struct page *p,
                       const struct mpdata_context *context)
{
    static const char shades[] = " .:-=+*#%@";
    const uint64_t cells = context->mib.AccessHistogramSize;
    const uint64_t columns = mprof_min_u64(cells, HEAT_COLUMNS_MAX);
    uint64_t sums[HEAT_COLUMNS_MAX] = {0};
    uint64_t most = 0;
    char size[MPDATA_UNIT_BYTES];

    if (context->cells == NULL || cells < 2)
        return;
    for (uint64_t i = 0; i < cells; i++)
        sums[i * columns / cells] =
            mprof_add_sat_u64(sums[i * columns / cells], context->cells[i]);
    for (uint64_t i = 0; i < columns; i++)
        most = mprof_max_u64(most, sums[i]);
    if (most == 0)
        return;
    fprintf(p->out, DETAIL "%saccesses from byte 0 to %s:%s [",
            p->options->style.dim,
            mpdata_units_bytes(cells * 8, size, sizeof(size)),
            p->options->style.reset);
    for (uint64_t i = 0; i < columns; i++) {
        const double part = (double)sums[i] / (double)most;

        fputc(shades[sums[i] == 0 ? 0 : 1 + (size_t)(part * 8)], p->out);
    }
    fputs("]\n", p->out);
}

static void print_context(const struct page *p, uint64_t rank,
                          const struct mpdata_context *context)
{
    const struct show_style *style = &p->options->style;
    const uint64_t value = sort_value(&context->mib, p->options->sort);
    char share[MPDATA_UNIT_BYTES];

    fprintf(p->out, "%s%2" PRIu64 ".  ", style->strong, rank);
    print_sort_value(p, value);
    fprintf(p->out, "%s  %s%s%s  ", style->reset, style->accent,
            mpdata_units_share(value,
                               sort_value(&p->totals.mib, p->options->sort),
                               share, sizeof(share)),
            style->reset);
    print_blocks(p, &context->mib);
    fputc('\n', p->out);
    print_behaviour(p, &context->mib);
    print_heat(p, context);
    show_stack_print(p->out, p->stack, context->node);
    fputc('\n', p->out);
}

/* `shown_value`: what was shown has of what is sorted by. */
static void print_rest(const struct page *p, uint64_t shown,
                       uint64_t shown_value)
{
    const uint64_t all = sort_value(&p->totals.mib, p->options->sort);
    const uint64_t more = p->context_count - shown;
    char count[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];

    if (shown >= p->listed_count)
        return;
    fprintf(
        p->out,
        "%s%s more call stack%s, %s of the %s; --top=%" PRIu64 " shows all%s\n",
        p->options->style.dim, mpdata_units_count(more, count, sizeof(count)),
        plural(more),
        mpdata_units_share(all - mprof_min_u64(shown_value, all), all, share,
                           sizeof(share)),
        sort_title(p->options->sort), p->listed_count, p->options->style.reset);
}

/* Contexts that have something of what is sorted by. They stand first. */
static uint64_t count_listed(const struct page *p)
{
    uint64_t n = 0;

    while (n < p->view.context_count &&
           sort_value(&p->view.contexts[p->order[n]].mib, p->options->sort) !=
               0)
        n++;
    return n;
}

static void print_list(const struct page *p)
{
    const uint64_t all = p->listed_count;
    const uint64_t shown = mprof_min_u64(p->options->top, all);
    uint64_t shown_value = 0;
    char count[MPDATA_UNIT_BYTES];

    if (all == 0)
        fprintf(p->out, "\nNo call stack has any %s.\n",
                sort_title(p->options->sort));
    if (shown == 0)
        return;
    if (shown < all)
        fprintf(p->out, "\n%sTop %s call stack%s by %s%s\n\n",
                p->options->style.strong,
                mpdata_units_count(shown, count, sizeof(count)), plural(shown),
                sort_title(p->options->sort), p->options->style.reset);
    else
        fprintf(p->out, "\n%sCall stacks by %s%s\n\n", p->options->style.strong,
                sort_title(p->options->sort), p->options->style.reset);
    for (uint64_t i = 0; i < shown; i++) {
        const struct mpdata_context *c = &p->view.contexts[p->order[i]];

        print_context(p, i + 1, c);
        shown_value = mprof_add_sat_u64(shown_value,
                                        sort_value(&c->mib, p->options->sort));
    }
    print_rest(p, shown, shown_value);
}

static void print_page(const struct page *p)
{
    print_programs(p);
    print_runs(p);
    if (p->totals.mib.AllocCount == 0) {
        fputs("  Nothing was allocated on the heap.\n", p->out);
        return;
    }
    print_allocated(p);
    print_accessed(p);
    print_lived(p);
    print_live(p);
    print_own(p);
    print_notes(p);
    print_list(p);
}

enum mprof_err show_text(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top *top,
                         const struct show_options *options,
                         struct mpdata_symbolizer *symbolizer)
{
    struct page p = {.out = out,
                     .profile = profile,
                     .view = mpdata_profile_view(profile),
                     .options = options};
    enum mprof_err err = MPROF_E_NOMEM;

    p.stack = show_stack_new(profile, options, symbolizer);
    p.order =
        (uint32_t *)calloc((size_t)p.view.context_count + 1, sizeof(*p.order));
    if (p.stack == NULL || p.order == NULL ||
        add_up(&p.view, top, &p.totals) != MPROF_E_OK)
        goto out;
    for (uint32_t i = 0; i < p.view.context_count; i++)
        p.order[i] = i;
    qsort_r(p.order, p.view.context_count, sizeof(*p.order), compare_contexts,
            &p);
    p.context_count = top != NULL ? top->context_count : p.view.context_count;
    p.listed_count = top != NULL ? top->listed_count : count_listed(&p);
    print_page(&p);
    if (!show_stack_failed(p.stack))
        err = MPROF_E_OK;
out:
    show_stack_free(p.stack);
    free(p.order);
    return err;
}
