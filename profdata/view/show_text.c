/* show_text.c -- prints a profile for people: runs, totals, and the largest
 * call stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/show.h"
#include "profdata/base/controls.h"
#include "profdata/base/heapbuf.h"
#include "profdata/query/names.h"
#include "profdata/base/units.h"
#include "profdata/base/vec.h"
#include "profdata/query/notes.h"
#include "profdata/query/types.h"
#include "profdata/query/uninstrumented.h"
#include "profdata/view/plain.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LABEL "  %-13s"
#define LABEL_WIDTH 13
#define DETAIL "     "
#define TYPE DETAIL "of type "
#define NS_PER_S 1000000000u
#define NS_PER_MS 1000000u
#define PROGRAMS_SHOWN_MAX 3
#define WITHOUT_SHOWN_MAX 10
#define HEAT_COLUMNS_MAX 64
#define HEAT_TEXT 42 /* columns beside the strip */

struct page {
    FILE *out;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    const struct show_options *options;
    const struct mpdata_top_list *list;
    /* Binaries with code that is not instrumented. */
    struct mpdata_uninstrumented without;
    char *reason; /* why accesses may have been missed, or "" */
    struct show_stack *stack;
};

/* -- the summary ----------------------------------------------------------- */

static void print_label(const struct page *p, const char *label)
{
    fprintf(p->out, LABEL "%s", label, "");
}

static void print_path(const struct page *p, mpdata_ref path)
{
    char *text = mpdata_profile_path_string(p->profile, path, NULL);

    if (text == NULL)
        show_stack_fail(p->stack);
    else
        plain_print(p->out, text);
    free(text);
}

/* Prints the programs of the runs, without duplicates. */
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
            if (mpdata_uninstrumented_is(&p->view, executable))
                fputs(" (not instrumented)", p->out);
        }
    }
    free(is_known);
    if (programs > PROGRAMS_SHOWN_MAX)
        fprintf(p->out, " and %" PRIu32 " more program%s",
                programs - PROGRAMS_SHOWN_MAX,
                mpdata_units_plural(programs - PROGRAMS_SHOWN_MAX));
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
    const struct mpdata_top_list *t = p->list;
    char number[MPDATA_UNIT_BYTES];

    if (t->runs.runs == 0)
        return;
    print_label(p, t->runs.runs == 1 ? "run" : "runs");
    fputs(mpdata_units_count(t->runs.runs, number, sizeof(number)), p->out);
    if (t->runs.duration_ns != 0)
        fprintf(p->out, ", %s%s",
                mpdata_units_ns(t->runs.duration_ns, number, sizeof(number)),
                t->runs.runs == 1 ? "" : " in all");
    if (t->runs.last_start_ns != 0) {
        fputs(", started ", p->out);
        print_date(p->out, t->runs.first_start_ns);
        if (t->runs.last_start_ns / (60 * (uint64_t)NS_PER_S) !=
            t->runs.first_start_ns / (60 * (uint64_t)NS_PER_S)) {
            fputs(" to ", p->out);
            print_date(p->out, t->runs.last_start_ns);
        }
        fputs(" UTC", p->out);
    }
    fputc('\n', p->out);
}

/* Prints "4 KiB in 12 blocks", as far as known. */
static void print_amount(const struct page *p, uint64_t size, uint64_t count,
                         enum mpdata_metric bytes_metric,
                         enum mpdata_metric blocks_metric)
{
    const bool has_bytes = p->list->held[bytes_metric];
    const bool has_blocks = p->list->held[blocks_metric];
    char bytes[MPDATA_UNIT_BYTES];
    char blocks[MPDATA_UNIT_BYTES];

    if (p->list->totals.SampledCount != 0)
        fputs("about ", p->out);
    if (has_bytes)
        fputs(mpdata_units_bytes(size, bytes, sizeof(bytes)), p->out);
    if (has_blocks)
        fprintf(p->out, "%s%s block%s", has_bytes ? " in " : "",
                mpdata_units_count(count, blocks, sizeof(blocks)),
                mpdata_units_plural(count));
}

static void print_allocated(const struct page *p)
{
    const struct mprof_mib *mib = &p->list->totals;
    char contexts[MPDATA_UNIT_BYTES];
    const uint64_t context_count =
        (uint64_t)p->list->context_count + p->options->joined;

    print_label(p, "allocated");
    print_amount(p, mib->TotalSize, mib->AllocCount, MPDATA_METRIC_BYTES,
                 MPDATA_METRIC_BLOCKS);
    fprintf(p->out, ", from %s call stack%s\n",
            mpdata_units_count(context_count, contexts, sizeof(contexts)),
            mpdata_units_plural(context_count));
}

/* Formats how much of the blocks was used; "" if accesses per block already
 * tell, because there are fewer accesses than blocks or blocks are no larger
 * than one access. */
static const char *format_ratio(const struct mprof_mib *mib, char *out,
                                size_t size)
{
    char text[MPDATA_UNIT_BYTES];

    out[0] = '\0';
    if (mib->TotalAccessCount > mib->AllocCount &&
        mib->TotalSize / 8 > mib->AllocCount)
        snprintf(out, size, ", %s",
                 mpdata_units_per_8_bytes(mib->TotalAccessCount, mib->TotalSize,
                                          text, sizeof(text)));
    return out;
}

/* If nothing is instrumented, only accesses by intercepted library functions
 * were counted. */
static void print_accessed_outside(const struct page *p)
{
    const uint64_t accesses = p->list->totals.TotalAccessCount;
    char count[MPDATA_UNIT_BYTES];

    fputs("not measured", p->out);
    if (accesses != 0)
        fprintf(p->out, ", but %s time%s by functions of the C library",
                mpdata_units_count(accesses, count, sizeof(count)),
                mpdata_units_plural(accesses));
    fputc('\n', p->out);
}

static void print_rw(const struct page *p)
{
    if (!p->list->held[MPDATA_METRIC_READS])
        return;
    print_label(p, "");
    show_rw_totals(p->out, &p->list->totals);
}

/* With runs of other tools, some blocks were not measured; averages would be
 * too low, and the totals do not tell how many blocks those are. */
static bool has_averages(const struct page *p)
{
    return p->list->runs.foreign_runs == 0 || p->list->runs.runs == 1;
}

static void print_accessed(const struct page *p)
{
    const struct mprof_mib *mib = &p->list->totals;
    char count[MPDATA_UNIT_BYTES];

    print_label(p, "accessed");
    if (p->options->is_of_pools) {
        fputs("not measured of blocks of pools\n", p->out);
    } else if (!p->list->held[MPDATA_METRIC_ACCESSES]) {
        fputs(p->list->runs.foreign_runs != 0
                  ? "not measured: another tool's profile\n"
                  : "not recorded in this file\n",
              p->out);
    } else if (p->without.is_all) {
        print_accessed_outside(p);
    } else if (mib->TotalAccessCount == 0) {
        if (p->reason[0] != '\0')
            fprintf(p->out, "no access seen; %s\n", p->reason);
        else
            fputs((p->list->unseen & MPROF_CONTEXT_FL_NOT_MEASURED) != 0
                      ? "no access seen\n"
                      : "never\n",
                  p->out);
    } else {
        fprintf(p->out, "%s%s time%s",
                mib->SampledCount != 0                        ? "about "
                : mib->SaturatedCount + mib->UnseenCount != 0 ? "at least "
                                                              : "",
                mpdata_units_count(mib->TotalAccessCount, count, sizeof(count)),
                mpdata_units_plural(mib->TotalAccessCount));
        if (mib->AllocCount > 1 && has_averages(p))
            fprintf(p->out, ", %s",
                    mpdata_units_per_block(mib->TotalAccessCount,
                                           mib->AllocCount, count,
                                           sizeof(count)));
        if (has_averages(p))
            fputs(format_ratio(mib, count, sizeof(count)), p->out);
        fputc('\n', p->out);
        print_rw(p);
    }
}

/* Formats a time with the precision of the clock. */
static const char *format_time(const struct page *p, uint64_t ns, char *out,
                               size_t size)
{
    char number[MPDATA_UNIT_BYTES];

    if (ns >= p->list->runs.resolution_ns)
        return mpdata_units_ns(ns, out, size);
    snprintf(
        out, size, "under %s",
        mpdata_units_ns(p->list->runs.resolution_ns, number, sizeof(number)));
    return out;
}

static void print_lived(const struct page *p)
{
    const struct mprof_mib *mib = &p->list->totals;
    char average[MPDATA_UNIT_BYTES * 2];
    char longest[MPDATA_UNIT_BYTES * 2];

    print_label(p, "lived");
    if (!p->list->held[MPDATA_METRIC_LIFETIME]) {
        fputs("not recorded in this file\n", p->out);
        return;
    }
    if (has_averages(p))
        fprintf(p->out, "%s%s on average%s",
                mib->SampledCount != 0 ? "about " : "",
                format_time(p, mib->TotalLifetimeNs / mib->AllocCount, average,
                            sizeof(average)),
                mib->MaxLifetimeNs != 0 ? ", " : "");
    else if (mib->MaxLifetimeNs == 0)
        fputs("not recorded of all blocks", p->out);
    if (mib->MaxLifetimeNs != 0)
        fprintf(p->out, "%s at most",
                format_time(p, mib->MaxLifetimeNs, longest, sizeof(longest)));
    fputc('\n', p->out);
}

/* Returns the number of runs whose live blocks are known. */
static uint64_t live_runs(const struct page *p)
{
    return mprof_add_sat_u64(p->list->runs.measured_runs,
                             p->list->runs.foreign_live);
}

static void print_live(const struct page *p)
{
    const struct mpdata_top_list *t = p->list;
    char share[MPDATA_UNIT_BYTES];
    const uint64_t live = live_runs(p);

    print_label(p, t->runs.is_now ? "live now" : "live at end");
    if (live == 0)
        fputs(t->runs.foreign_runs != 0
                  ? "not measured\n"
                  : "not measured (LLVM's format has no room for it)\n",
              p->out);
    else if (t->totals.LiveCount == 0)
        fputs("nothing: all was freed", p->out);
    else {
        print_amount(p, t->totals.LiveBytes, t->totals.LiveCount,
                     MPDATA_METRIC_LIVE, MPDATA_METRIC_LIVE_BLOCKS);
        if (t->held[MPDATA_METRIC_LIVE])
            fprintf(p->out, ", %s of what was allocated",
                    mpdata_units_share(t->totals.LiveBytes, t->totals.TotalSize,
                                       share, sizeof(share)));
    }
    if (live != 0 && live < t->runs.runs)
        fputs(t->runs.foreign_runs != 0
                  ? " (not measured in all runs)\n"
                  : " (not measured in the runs of LLVM's format)\n",
              p->out);
    else if (live != 0)
        fputc('\n', p->out);
}

/* Prints leaks, if the profile was checked for leaks. */
static void print_leaked(const struct page *p)
{
    if (p->list->totals.LeakCheckedCount == 0)
        return;
    print_label(p, "leaked");
    show_leaks_totals(p->out, &p->list->totals, p->options);
}

/* Prints the costs of profiling, as far as measured. */
static void print_own(const struct page *p)
{
    const struct mpdata_top_list *t = p->list;
    char time[MPDATA_UNIT_BYTES];
    char calls[MPDATA_UNIT_BYTES];
    char bytes[MPDATA_UNIT_BYTES];

    if (t->runs.own_memory_bytes == 0 && t->runs.timed_calls == 0)
        return;
    print_label(p, "profiler");
    if (t->runs.timed_calls != 0) {
        fprintf(p->out,
                "about %s in malloc, free and related functions (%s call%s "
                "timed)\n",
                mpdata_units_ns(t->runs.own_time_ns, time, sizeof(time)),
                mpdata_units_count(t->runs.timed_calls, calls, sizeof(calls)),
                mpdata_units_plural(t->runs.timed_calls));
        print_label(p, "");
    }
    fprintf(p->out, "%s of memory%s%s\n",
            mpdata_units_bytes(t->runs.own_memory_bytes, bytes, sizeof(bytes)),
            t->runs.runs > 1 ? " at most" : "",
            t->runs.truncated == 0 && t->runs.dropped == 0
                ? ", nothing cut or dropped"
                : "");
}

/* Prints the next word of a note after `used` columns; starts a new line if it
 * does not fit. */
static void print_word(const struct page *p, size_t *used, const char *word)
{
    const size_t indent = strlen("  ") + LABEL_WIDTH;

    /* Leave room for a comma. */
    if (*used != indent && *used + 2 + strlen(word) > p->options->width) {
        fputc('\n', p->out);
        print_label(p, "");
        *used = indent;
    }
    *used += (size_t)fprintf(p->out, "%s%s", *used != indent ? " " : "", word);
}

/* Prints the binaries whose accesses are not counted. */
static void print_without(const struct page *p)
{
    const uint32_t count = p->without.count;
    const uint32_t shown =
        p->options->full_stacks
            ? count
            : (uint32_t)mprof_min_u64(count, WITHOUT_SHOWN_MAX);
    size_t used = strlen("  ") + LABEL_WIDTH;
    char number[MPDATA_UNIT_BYTES];
    char more[MPDATA_UNIT_BYTES * 2];

    if (count == 0)
        return;
    print_label(p, "note");
    for (uint32_t i = 0; i < shown; i++) {
        print_word(p, &used, p->without.names[i]);
        if (i + 1 < shown)
            used += (size_t)fprintf(p->out, ",");
    }
    if (shown < count) {
        snprintf(more, sizeof(more), "and %s more (--full-stacks names them)",
                 mpdata_units_count(count - shown, number, sizeof(number)));
        print_word(p, &used, more);
    }
    print_word(p, &used,
               count == 1 ? "is not instrumented:" : "are not instrumented:");
    print_word(p, &used,
               count == 1 ? "its accesses are not seen"
                          : "their accesses are not seen");
    fputc('\n', p->out);
}

/* Prints what filters removed, now or when the file was written. */
static void print_left_out(const struct page *p)
{
    char label[LABEL_WIDTH + 3];

    snprintf(label, sizeof(label), LABEL, "note");
    show_left_out(p->out, p->options->left_out, label);
    show_left_out_wrappers(p->out, p->options, label);
}

/* Prints the limits of the profile's numbers. */
static void print_notes(const struct page *p)
{
    struct mprof_buf lines;
    const char *line;
    const char *end;

    print_left_out(p);
    print_without(p);
    mpdata_heapbuf_init(&lines);
    mpdata_notes_write(&p->list->runs, &lines);
    mprof_buf_bytes(&lines, "", 1);
    if (lines.failed)
        show_stack_fail(p->stack);
    for (line = lines.failed ? "" : (const char *)lines.data;
         (end = strchr(line, '\n')) != NULL; line = end + 1) {
        print_label(p, "note");
        fprintf(p->out, "%.*s\n", (int)(end - line), line);
    }
    mpdata_heapbuf_fini(&lines);
}

/* -- the list -------------------------------------------------------------- */

static void print_sort_value(const struct page *p, uint64_t value)
{
    const struct mpdata_metric_row *const row =
        &mpdata_metrics[p->options->sort];
    const char *const word = value == 1 ? row->one : row->many;
    char text[MPDATA_UNIT_BYTES];

    fprintf(p->out, "%s%s%s",
            mpdata_metrics_text(p->options->sort, value, text, sizeof(text)),
            word[0] != '\0' ? " " : "", word);
}

/* Prints "in 1,000 blocks of 48 B" or "in 50 blocks of 8 B to 1.2 KiB"; after a
 * value of another moment "allocated 1.2 KiB in 50 blocks of 24 B". */
static void print_blocks(const struct page *p, const struct mprof_mib *mib)
{
    char bytes[MPDATA_UNIT_BYTES];
    char blocks[MPDATA_UNIT_BYTES];
    char low[MPDATA_UNIT_BYTES];
    char high[MPDATA_UNIT_BYTES];

    if (!p->list->held[MPDATA_METRIC_BLOCKS])
        return;
    if (mpdata_metrics_pair(p->options->sort).bytes != MPDATA_METRIC_BYTES)
        fputs("allocated ", p->out);
    if (p->options->sort != MPDATA_METRIC_BYTES &&
        p->list->held[MPDATA_METRIC_BYTES])
        fprintf(p->out, "%s ",
                mpdata_units_bytes(mib->TotalSize, bytes, sizeof(bytes)));
    fprintf(p->out, "in %s block%s",
            mpdata_units_count(mib->AllocCount, blocks, sizeof(blocks)),
            mpdata_units_plural(mib->AllocCount));
    mpdata_units_bytes(mib->MinSize, low, sizeof(low));
    mpdata_units_bytes(mib->MaxSize, high, sizeof(high));
    if (mib->MaxSize == 0 &&
        (mib->TotalSize != 0 || !p->list->held[MPDATA_METRIC_BYTES]))
        return; /* the file lacks these fields */
    if (mib->MinSize == mib->MaxSize)
        fprintf(p->out, " of %s", low);
    else
        fprintf(p->out, " of %s to %s", low, high);
}

/* Formats "lived 34.3 us on average, all freed". */
static void format_life(const struct page *p,
                        const struct mpdata_context *context,
                        const struct mprof_mib *mib, char *out, size_t size)
{
    const bool is_foreign =
        p->list->runs.foreign_runs != 0 && mib->TotalLifetimeNs == 0 &&
        (context->flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0;
    char text[MPDATA_UNIT_BYTES * 2];
    char live[MPDATA_UNIT_BYTES];
    const uint64_t average =
        mib->AllocCount != 0 ? mib->TotalLifetimeNs / mib->AllocCount : 0;
    int n;

    if (p->list->held[MPDATA_METRIC_LIFETIME] && !is_foreign)
        n = snprintf(out, size, "lived %s%s",
                     format_time(p, average, text, sizeof(text)),
                     mib->AllocCount > 1 &&
                             average >= p->list->runs.resolution_ns
                         ? " on average"
                         : "");
    else
        n = snprintf(out, size, "lifetime not recorded");
    out += n;
    size -= (size_t)n;
    if (live_runs(p) != 0 && live_runs(p) == p->list->runs.runs &&
        mib->LiveCount == 0)
        snprintf(out, size, ", all freed");
    else if (mib->LiveCount != 0 && mib->LiveCount == mib->AllocCount &&
             mib->LiveBytes == mib->TotalSize)
        snprintf(out, size, ", none freed");
    else if (mib->LiveCount != 0 && !p->list->held[MPDATA_METRIC_LIVE_BLOCKS])
        snprintf(out, size, ", %s not freed",
                 mpdata_units_bytes(mib->LiveBytes, live, sizeof(live)));
    else if (mib->LiveCount != 0)
        snprintf(out, size, ", %s not freed (%s)",
                 mpdata_units_count(mib->LiveCount, text, sizeof(text)),
                 mpdata_units_bytes(mib->LiveBytes, live, sizeof(live)));
}

/* May accesses to the blocks have been missed, so that a count of 0 does not
 * mean that there were none? */
static bool is_unseen(const struct mpdata_context *context,
                      const struct mprof_mib *mib)
{
    return (context->flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0 ||
           ((context->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) != 0 &&
            mib->TotalAccessCount == 0);
}

static void print_unseen(const struct page *p,
                         const struct mpdata_context *context,
                         const struct mprof_mib *mib, const char *life)
{
    char text[MPDATA_UNIT_BYTES];
    int used;

    if ((context->flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0)
        used = fprintf(p->out, DETAIL "no access seen%s%s",
                       p->reason[0] != '\0' ? "; " : "", p->reason);
    else if (mib->TotalAccessCount == 0)
        used = fprintf(p->out, DETAIL "accesses not measured");
    else
        used = fprintf(p->out, DETAIL "accesses not measured (%s seen)",
                       mpdata_units_per_block(mib->TotalAccessCount,
                                              mib->AllocCount, text,
                                              sizeof(text)));
    fprintf(p->out, "%s%s\n",
            (size_t)used + 2 + strlen(life) > p->options->width ? ",\n" DETAIL
                                                                : ", ",
            life);
}

/* Prints accesses and lifetimes; the ratio only if the line has room. */
static void print_behaviour(const struct page *p,
                            const struct mpdata_context *context,
                            const struct mprof_mib *mib)
{
    char accesses[MPDATA_UNIT_BYTES * 2] = "";
    char ratio[MPDATA_UNIT_BYTES] = "";
    char life[MPDATA_UNIT_BYTES * 6];
    char text[MPDATA_UNIT_BYTES];

    format_life(p, context, mib, life, sizeof(life));
    if (is_unseen(context, mib)) {
        print_unseen(p, context, mib, life);
        return;
    }
    if (mpdata_metrics_has_accesses(mib)) {
        snprintf(accesses, sizeof(accesses), "%s%s",
                 mib->SaturatedCount + mib->UnseenCount != 0 ? "at least " : "",
                 mpdata_units_per_block(mib->TotalAccessCount, mib->AllocCount,
                                        text, sizeof(text)));
        format_ratio(mib, ratio, sizeof(ratio));
    }
    if (strlen(DETAIL) + strlen(accesses) + strlen(ratio) + 2 + strlen(life) >
        p->options->width)
        ratio[0] = '\0';
    fprintf(p->out, DETAIL "%s%s%s%s\n", accesses, ratio,
            accesses[0] != '\0' ? ", " : "", life);
    show_rw_context(p->out, mib,
                    (context->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) == 0,
                    DETAIL, p->options->width);
}

/* Sums up a histogram of `size` cells in `columns` columns. Returns the largest
 * sum. */
static uint64_t sum_columns(struct mpdata_cells cells, uint64_t size,
                            uint64_t *sums, uint64_t columns)
{
    struct mpdata_cells_run run;
    uint64_t most = 0;

    while (mpdata_cells_next_run(&cells, &run)) {
        for (uint64_t i = 0; i < run.count; i++) {
            const size_t at =
                (size_t)((unsigned __int128)(run.first + i) * columns / size);

            sums[at] = mprof_add_sat_u64(sums[at], run.counts[i]);
        }
    }
    for (uint64_t i = 0; i < columns; i++)
        most = mprof_max_u64(most, sums[i]);
    return most;
}

/* Prints the histogram as a strip from the first byte of a block to the last,
 * darker for more accesses. */
static void print_heat(const struct page *p,
                       const struct mpdata_context *context,
                       const struct mprof_mib *mib)
{
    static const char shades[] = " .:-=+*#%@";
    const uint64_t cells = mib->AccessHistogramSize;
    const uint64_t columns = mprof_min_u64(
        cells, mprof_min_u64(HEAT_COLUMNS_MAX, p->options->width - HEAT_TEXT));
    uint64_t sums[HEAT_COLUMNS_MAX] = {0};
    uint64_t most;
    char size[MPDATA_UNIT_BYTES];

    if (context->cells.words == NULL || cells < 2)
        return;
    most = sum_columns(context->cells, cells, sums, columns);
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

static void print_type(const struct page *p,
                       const struct mpdata_context *context)
{
    const mpdata_string type = mpdata_types_of(&p->view, context->node);
    char *text;

    if (type == 0)
        return;
    text = strdup(p->view.strings[type].bytes);
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
static void print_facts(const struct page *page,
                        const struct mpdata_context *context,
                        const struct mprof_mib *mib)
{
    struct page lines = *page;
    const struct page *const p = &lines;
    struct show_wrap wrap;

    lines.out = show_wrap_start(&wrap);
    if (lines.out == NULL) {
        show_stack_fail(page->stack);
        return;
    }
    print_behaviour(p, context, mib);
    show_sampled_context(p->out, mib, p->options->sort, DETAIL);
    show_peak_context(p->out, mib, p->options->sort, DETAIL);
    if (p->options->sort == MPDATA_METRIC_LEAKED ||
        p->options->sort == MPDATA_METRIC_LEAKED_BLOCKS)
        show_leaks_context(p->out, mib, DETAIL);
    if (!show_wrap_finish(&wrap, page->out, strlen(DETAIL), p->options->width))
        show_stack_fail(page->stack);
}

static void print_context(const struct page *p, uint32_t row,
                          const struct mpdata_context *context,
                          const struct mprof_mib *mib)
{
    const struct show_style *style = &p->options->style;
    const uint64_t value = mpdata_metrics_get(mib, p->options->sort);
    char share[MPDATA_UNIT_BYTES];

    fprintf(p->out, "%s%2" PRIu64 ".  ", style->strong, (uint64_t)row + 1);
    if (p->options->sort == MPDATA_METRIC_LIFETIME) {
        print_sort_value(p, value / mprof_max_u64(mib->AllocCount, 1));
        fprintf(p->out, " a block%s", style->reset);
    } else {
        print_sort_value(p, value);
        fprintf(p->out, "%s  %s%s%s", style->reset, style->accent,
                mpdata_units_share(
                    value,
                    mpdata_metrics_get(&p->list->totals, p->options->sort),
                    share, sizeof(share)),
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
static void print_rest(const struct page *p, uint64_t shown,
                       uint64_t shown_value)
{
    const uint64_t all = mpdata_metrics_get(&p->list->totals, p->options->sort);
    const uint64_t more =
        p->list->listed_count - mprof_min_u64(shown, p->list->listed_count);
    char count[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];

    if (more == 0)
        return;
    fprintf(p->out, "%s%s more call stack%s", p->options->style.dim,
            mpdata_units_count(more, count, sizeof(count)),
            mpdata_units_plural(more));
    if (p->options->sort != MPDATA_METRIC_LIFETIME)
        fprintf(p->out, ", %s of the %s",
                mpdata_units_share(all - mprof_min_u64(shown_value, all), all,
                                   share, sizeof(share)),
                p->options->title);
    fprintf(p->out, "; --top=%" PRIu64 " shows all%s\n", p->list->listed_count,
            p->options->style.reset);
}

static void print_list(const struct page *p)
{
    const uint64_t all = p->list->listed_count;
    const uint32_t shown = p->list->count;
    uint64_t shown_value = 0;
    char count[MPDATA_UNIT_BYTES];

    if (all == 0)
        fprintf(p->out, "\nNo call stack has any %s.\n", p->options->title);
    if (shown == 0)
        return;
    if (shown < all)
        fprintf(p->out, "\n%sTop %s call stack%s by %s%s%s\n\n",
                p->options->style.strong,
                mpdata_units_count(shown, count, sizeof(count)),
                mpdata_units_plural(shown), p->options->title,
                p->options->estimates, p->options->style.reset);
    else
        fprintf(p->out, "\n%sCall stacks by %s%s%s\n\n",
                p->options->style.strong, p->options->title,
                p->options->estimates, p->options->style.reset);
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

/* Prints rows by function, line or file. Error: NOMEM. */
static enum mprof_err print_groups(const struct page *p)
{
    struct mpdata_groups groups;
    const enum mpdata_metric metrics[] = {p->options->sort,
                                          MPDATA_METRIC_BLOCKS};
    const enum mprof_err err =
        mpdata_groups_make(&groups, p->profile, show_by_groups(p->options->by),
                           metrics, 1 + mpdata_metrics_divisor(metrics, 2));

    if (err == MPROF_E_OK)
        show_groups(p->out, &groups,
                    mpdata_metrics_get(&p->list->totals, p->options->sort),
                    p->options, p->stack);
    mpdata_groups_fini(&groups);
    return err;
}

static bool is_of_events(const struct page *p)
{
    return p->options->view == SHOW_EVENTS || p->options->view == SHOW_COPIES;
}

/* Error: NOMEM. */
static enum mprof_err print_not_measured(const struct page *p)
{
    struct show_wrap wrap;
    FILE *const out = show_wrap_start(&wrap);

    if (out == NULL)
        return MPROF_E_NOMEM;
    fprintf(out, "\nNot measured in this profile: %s.%s\n", p->options->title,
            show_leaks_why_not(p->options->sort));
    return show_wrap_finish(&wrap, p->out, 0, p->options->width)
               ? MPROF_E_OK
               : MPROF_E_NOMEM;
}

/* Error: NOMEM. */
static enum mprof_err print_view(const struct page *p)
{
    if (p->options->view == SHOW_TIMELINE) {
        show_timeline(p->out, p->profile, p->list, p->options);
        return MPROF_E_OK;
    }
    if (is_of_events(p))
        return show_events(p->out, p->profile, p->options, p->stack);
    if (!p->list->held[p->options->sort])
        return print_not_measured(p);
    if (p->options->view == SHOW_HISTOGRAM) {
        show_histogram(p->out, p->profile, p->list, p->options, p->stack);
        return MPROF_E_OK;
    }
    if (p->options->view == SHOW_SIZES || p->options->view == SHOW_LIFETIMES ||
        p->options->view == SHOW_ENDS) {
        show_spread(p->out, p->profile, p->list, p->options, p->stack);
        return MPROF_E_OK;
    }
    if (p->options->view == SHOW_SOURCE)
        return show_source(p->out, p->profile, p->list, p->options, p->stack);
    if (p->options->view != SHOW_LIST)
        return show_tree(p->out, p->profile, p->list, p->options, p->stack);
    if (show_by_is_name(p->options->by))
        return show_names(
            p->out, p->profile, p->options,
            mpdata_metrics_get(&p->list->totals, p->options->sort));
    if (p->options->by != SHOW_BY_STACK)
        return print_groups(p);
    print_list(p);
    return MPROF_E_OK;
}

/* Prints the totals of the allocated blocks. */
static void print_numbers(const struct page *p)
{
    print_allocated(p);
    print_accessed(p);
    print_lived(p);
    print_live(p);
    print_leaked(p);
    if (p->list->totals.SampledCount != 0) {
        print_label(p, "sampled");
        show_sampled_totals(p->out, &p->list->totals);
    }
    if (!p->options->is_of_pools && p->list->runs.peak_runs != 0) {
        print_label(p, "peak");
        show_peak_totals(p->out, p->list, p->options);
    }
    print_own(p);
    print_notes(p);
}

static void print_wrapped(const struct page *page,
                          void (*print)(const struct page *p))
{
    struct page lines = *page;
    struct show_wrap wrap;

    lines.out = show_wrap_start(&wrap);
    if (lines.out == NULL) {
        show_stack_fail(page->stack);
        return;
    }
    print(&lines);
    if (!show_wrap_finish(&wrap, page->out, strlen("  ") + LABEL_WIDTH,
                          page->options->width))
        show_stack_fail(page->stack);
}

/* Prints why there is nothing to show. */
static void print_empty(const struct page *p)
{
    const char *why = "  Nothing was allocated on the heap.\n";

    if (p->options->is_filtered)
        why = "  No call stack matches the filters.\n";
    else if (p->options->is_of_pools && p->options->left_out->count != 0)
        why = "  No pools were recorded, or the filters left none.\n";
    else if (p->options->is_of_pools)
        why = "  No pools were recorded: the program must call\n"
              "  memprof_pool_alloc().\n";
    else if (mpdata_left_out_any(p->options->left_out))
        why = "  The filters left no call stack.\n";
    else if (p->list->runs.other_malloc != 0)
        why = "  No blocks were recorded: malloc is the program's own. It can "
              "name its\n  blocks by memprof_pool_alloc().\n";
    fputs(why, p->out);
    print_wrapped(p, print_left_out);
}

static void print_page(const struct page *p)
{
    print_programs(p);
    print_runs(p);
    if (p->list->totals.AllocCount == 0 && !is_of_events(p)) {
        print_empty(p);
        return;
    }
    print_wrapped(p, p->list->totals.AllocCount != 0 ? print_numbers
                                                     : print_left_out);
    if (print_view(p) != MPROF_E_OK)
        show_stack_fail(p->stack);
}

/* Formats "libx.so is not instrumented", "libx.so and 3 more are not
 * instrumented". malloc'd. */
static char *format_reason(const struct mpdata_uninstrumented *without,
                           bool has_jumps)
{
    char number[MPDATA_UNIT_BYTES];
    char *reason;
    int length;

    if (without->count == 0)
        return strdup(has_jumps ? "signal handlers were left by jumps" : "");
    if (without->count == 1) {
        length = asprintf(&reason, "%s is not instrumented", without->names[0]);
    } else {
        mpdata_units_count(without->count - 1, number, sizeof(number));
        length = asprintf(&reason, "%s and %s more are not instrumented",
                          without->names[0], number);
    }
    return length < 0 ? NULL : reason;
}

/* Replaces control characters in names, which a terminal could interpret. */
static void replace_controls(struct mpdata_uninstrumented *without)
{
    for (uint32_t i = 0; i < without->count; i++)
        mpdata_controls_replace(without->names[i], strlen(without->names[i]),
                                '?');
}

enum mprof_err show_text(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options,
                         const struct mpdata_demangler *demangler)
{
    struct show_options titled = *options;
    struct page p = {.out = out,
                     .profile = profile,
                     .view = mpdata_profile_view(profile),
                     .options = &titled,
                     .list = list};
    enum mprof_err err = mpdata_uninstrumented_find(&p.without, profile);

    if (err != MPROF_E_OK)
        goto out;
    titled.title = options->sort == MPDATA_METRIC_LIFETIME
                       ? "average lifetime"
                       : mpdata_metrics_title(options->sort, list->runs.is_now);
    titled.estimates = list->totals.SampledCount != 0 ? " (estimates)" : "";
    replace_controls(&p.without);
    p.reason = format_reason(&p.without, list->runs.handler_jumps != 0);
    p.stack = show_stack_new(profile, &titled, demangler);
    if (p.reason == NULL || p.stack == NULL) {
        err = MPROF_E_NOMEM;
        goto out;
    }
    print_page(&p);
    if (show_stack_failed(p.stack))
        err = MPROF_E_NOMEM;
out:
    show_stack_free(p.stack);
    free(p.reason);
    mpdata_uninstrumented_fini(&p.without);
    return err;
}
