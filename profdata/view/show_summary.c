/* show_summary.c -- prints the beginning of a page: programs, runs, totals and
 * notes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/base/vec.h"
#include "profdata/query/left_out.h"
#include "profdata/query/resident.h"
#include "profdata/view/show_page.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LABEL "  %-13s"
#define LABEL_WIDTH 13
#define NS_PER_S 1000000000u
#define PROGRAMS_SHOWN_MAX 3
#define WITHOUT_SHOWN_MAX 10

static void print_label(const struct show_page *p, const char *label)
{
    fprintf(p->out, LABEL "%s", label, "");
}

static void print_path(const struct show_page *p, mpdata_ref path)
{
    char *text = mpdata_profile_path_string(p->profile, path, NULL);

    if (text == NULL)
        show_stack_fail(p->stack);
    else
        page_plain(p->out, text);
    free(text);
}

/* Prints the programs of the runs, without duplicates. */
static void print_programs(const struct show_page *p)
{
    uint8_t *is_known = mpdata_vec_array((size_t)p->view.path_count + 1, 1);
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
                fputs(" (accesses not counted)", p->out);
        }
    }
    free(is_known);
    if (programs > PROGRAMS_SHOWN_MAX)
        fprintf(
            p->out, " and %s",
            mpdata_units_things(programs - PROGRAMS_SHOWN_MAX, "more program")
                .text);
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

static void print_runs(const struct show_page *p)
{
    const struct mpdata_top_list *t = p->list;

    if (t->runs.runs == 0)
        return;
    print_label(p, t->runs.runs == 1 ? "run" : "runs");
    fputs(mpdata_units_count(t->runs.runs).text, p->out);
    if (t->runs.duration_ns != 0)
        fprintf(p->out, ", %s%s", mpdata_units_ns(t->runs.duration_ns).text,
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
static void print_amount(const struct show_page *p, uint64_t size,
                         uint64_t count, enum mpdata_metric bytes_metric,
                         enum mpdata_metric blocks_metric)
{
    const bool has_bytes = p->list->held[bytes_metric];
    const bool has_blocks = p->list->held[blocks_metric];

    if (p->list->totals.SampledCount != 0)
        fputs("about ", p->out);
    if (has_bytes)
        fputs(mpdata_units_bytes(size).text, p->out);
    if (has_blocks)
        fprintf(p->out, "%s%s", has_bytes ? " in " : "",
                mpdata_units_things(count, "block").text);
}

/* Which blocks the page is of: of a moment, not all. */
static const char *chosen(const struct show_page *p)
{
    return mpdata_run_totals_are_moments(&p->view) ? "alive then" : "allocated";
}

static void print_allocated(const struct show_page *p)
{
    const struct mprof_mib *mib = &p->list->totals;
    const uint64_t context_count =
        (uint64_t)p->list->context_count + p->options->joined;

    print_label(p, chosen(p));
    print_amount(p, mib->TotalSize, mib->AllocCount, MPDATA_METRIC_BYTES,
                 MPDATA_METRIC_BLOCKS);
    fprintf(p->out, ", from %s\n",
            mpdata_units_things(context_count, "call stack").text);
}

struct mpdata_number show_summary_ratio(const struct mprof_mib *mib)
{
    if (mib->TotalAccessCount <= mib->AllocCount ||
        mib->TotalSize / 8 <= mib->AllocCount)
        return (struct mpdata_number){""};
    return mpdata_units_format(
        ", %s",
        mpdata_units_per_8_bytes(mib->TotalAccessCount, mib->TotalSize).text);
}

/* If nothing is instrumented, only accesses by intercepted library functions
 * were counted. */
static void print_accessed_outside(const struct show_page *p)
{
    const uint64_t accesses = p->list->totals.TotalAccessCount;

    fputs("not measured", p->out);
    if (accesses != 0)
        fprintf(p->out, ", but %s by functions of the C library",
                mpdata_units_things(accesses, "time").text);
    fputc('\n', p->out);
}

static void print_rw(const struct show_page *p)
{
    if (!p->list->held[MPDATA_METRIC_READS])
        return;
    print_label(p, "");
    show_numbers_rw_totals(p->out, &p->list->totals);
}

/* With runs of other tools, some blocks were not measured; averages would be
 * too low, and the totals do not tell how many blocks those are. */
static bool has_averages(const struct show_page *p)
{
    return p->list->runs.foreign_runs == 0 || p->list->runs.runs == 1;
}

static void print_accessed(const struct show_page *p)
{
    const struct mprof_mib *mib = &p->list->totals;

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
        if (p->list->runs.burst_runs != 0)
            fprintf(p->out, "no access seen in %s\n",
                    mpdata_units_things(p->list->runs.bursts, "burst").text);
        else if (p->reason[0] != '\0')
            fprintf(p->out, "no access seen; %s\n", p->reason);
        else
            fputs((p->list->unseen & MPROF_CONTEXT_FL_NOT_MEASURED) != 0
                      ? "no access seen\n"
                      : "never\n",
                  p->out);
    } else {
        fprintf(p->out, "%s%s",
                mib->SampledCount + mib->TotalAccessCountVariance != 0
                    ? "about "
                : mib->SaturatedCount + mib->UnseenCount != 0 ? "at least "
                                                              : "",
                mpdata_units_things(mib->TotalAccessCount, "time").text);
        if (mib->AllocCount > 1 && has_averages(p))
            fprintf(
                p->out, ", %s",
                mpdata_units_per_block(mib->TotalAccessCount, mib->AllocCount)
                    .text);
        if (has_averages(p))
            fputs(show_summary_ratio(mib).text, p->out);
        fputc('\n', p->out);
        print_rw(p);
    }
}

struct mpdata_number show_summary_time(const struct show_page *p, uint64_t ns)
{
    const uint64_t resolution = p->list->runs.resolution_ns;

    return ns >= resolution ? mpdata_units_ns(ns)
                            : mpdata_units_format(
                                  "under %s", mpdata_units_ns(resolution).text);
}

static void print_lived(const struct show_page *p)
{
    const struct mprof_mib *mib = &p->list->totals;

    print_label(p, "lived");
    if (!p->list->held[MPDATA_METRIC_LIFETIME]) {
        fputs("not recorded in this file\n", p->out);
        return;
    }
    if (has_averages(p))
        fprintf(
            p->out, "%s%s on average%s", mib->SampledCount != 0 ? "about " : "",
            show_summary_time(p, mib->TotalLifetimeNs / mib->AllocCount).text,
            mib->MaxLifetimeNs != 0 ? ", " : "");
    else if (mib->MaxLifetimeNs == 0)
        fputs("not recorded of all blocks", p->out);
    if (mib->MaxLifetimeNs != 0)
        fprintf(p->out, "%s at most",
                show_summary_time(p, mib->MaxLifetimeNs).text);
    fputc('\n', p->out);
}

uint64_t show_summary_live_runs(const struct show_page *p)
{
    return mprof_add_sat_u64(p->list->runs.measured_runs,
                             p->list->runs.foreign_live);
}

static void print_live(const struct show_page *p)
{
    const struct mpdata_top_list *t = p->list;
    const uint64_t live = show_summary_live_runs(p);

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
        if (t->held[MPDATA_METRIC_LIVE] && t->totals.TotalSize != 0 &&
            live >= t->runs.runs)
            fprintf(p->out, ", %s of what was %s",
                    mpdata_units_share(t->totals.LiveBytes, t->totals.TotalSize)
                        .text,
                    chosen(p));
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
static void print_leaked(const struct show_page *p)
{
    if (p->list->totals.LeakCheckedCount == 0)
        return;
    print_label(p, "leaked");
    show_numbers_leaks_totals(p->out, &p->list->totals, p->options);
}

/* Prints "41 MiB at the end = 30 MiB live heap blocks + ...". */
static void print_parts(const struct show_page *p, const char *when,
                        const char *also, struct mpdata_resident resident)
{
    const char *before = "=";

    fprintf(p->out, "%s at the %s%s%s", mpdata_units_bytes(resident.sum).text,
            when, also[0] != '\0' ? ", the " : "", also);
    for (size_t i = 0; i < MPROF_RESIDENT_COUNT; i++) {
        if (resident.bytes[i] == 0)
            continue;
        fprintf(p->out, " %s %s %s", before,
                mpdata_units_bytes(resident.bytes[i]).text,
                mpdata_resident_names[i]);
        before = "+";
    }
    fputc('\n', p->out);
}

/* Prints what the memory consists of, of the run with the most. */
static void print_resident(const struct show_page *p)
{
    const struct mpdata_run *const run = mpdata_resident_run(&p->view);

    if (run == NULL)
        return;
    const struct mpdata_resident peak = mpdata_resident_at_peak(run);
    const struct mpdata_resident end = mpdata_resident_at_end(run);
    /* Readings are too seldom for short peaks. */
    const bool is_missed = run->rss_highest > peak.sum + peak.sum / 16;
    const char *const most = is_missed ? "highest reading" : "peak";
    print_label(p, "resident");
    if (peak.sum > end.sum) {
        print_parts(p, most, "", peak);
        print_label(p, "");
    }
    if (end.sum != 0) { /* or else it could not be read */
        print_parts(p, run->is_middle ? "dump" : "end",
                    peak.sum <= end.sum ? most : "", end);
        print_label(p, "");
    }
    fprintf(p->out, "%s at most, by the kernel%s",
            mpdata_units_bytes(run->rss_highest).text,
            p->list->runs.runs > 1 ? ", in the run with the most" : "");
    if (is_missed)
        fprintf(p->out, ": %s more between two readings, not explained",
                mpdata_units_bytes(run->rss_highest - peak.sum).text);
    fputc('\n', p->out);
}

/* Prints the costs of profiling, as far as measured. */
static void print_own(const struct show_page *p)
{
    const struct mpdata_top_list *t = p->list;

    if (t->runs.own_memory_bytes == 0 && t->runs.timed_calls == 0)
        return;
    print_label(p, "profiler");
    if (t->runs.timed_calls != 0) {
        fprintf(p->out,
                "about %s in malloc, free and related functions (%s timed)\n",
                mpdata_units_ns(t->runs.own_time_ns).text,
                mpdata_units_things(t->runs.timed_calls, "call").text);
        print_label(p, "");
    }
    fprintf(p->out, "%s for call stacks and their sums%s%s\n",
            mpdata_units_bytes(t->runs.own_memory_bytes).text,
            t->runs.runs > 1 ? " at most" : "",
            t->runs.truncated == 0 && t->runs.dropped == 0
                ? ", nothing cut or dropped"
                : "");
}

/* Prints the next word of a note after `used` columns; starts a new line if it
 * does not fit. */
static void print_word(const struct show_page *p, size_t *used,
                       const char *word)
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
static void print_without(const struct show_page *p)
{
    const uint32_t count = p->without.count;
    const uint32_t shown =
        p->options->full_stacks
            ? count
            : (uint32_t)mprof_min_u64(count, WITHOUT_SHOWN_MAX);
    size_t used = strlen("  ") + LABEL_WIDTH;

    if (count == 0)
        return;
    print_label(p, "note");
    for (uint32_t i = 0; i < shown; i++) {
        print_word(p, &used, p->without.names[i]);
        if (i + 1 < shown)
            used += (size_t)fprintf(p->out, ",");
    }
    if (shown < count)
        print_word(p, &used,
                   mpdata_units_format("and %s more (--full-stacks names them)",
                                       mpdata_units_count(count - shown).text)
                       .text);
    print_word(p, &used,
               count == 1 ? "is not instrumented:" : "are not instrumented:");
    print_word(p, &used,
               count == 1 ? "its accesses are not seen"
                          : "their accesses are not seen");
    fputc('\n', p->out);
}

static void print_wrappers(const struct show_page *p)
{
    char label[LABEL_WIDTH + 3];

    snprintf(label, sizeof(label), LABEL, "note");
    page_wrappers(p->out, p->options, label);
}

/* Prints the limits of the profile's numbers. */
static void print_notes(const struct show_page *p)
{
    struct mprof_buf lines;
    const char *line;
    const char *end;

    print_wrappers(p);
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

/* Prints the totals of the allocated blocks. */
static void print_numbers(const struct show_page *p)
{
    print_allocated(p);
    print_accessed(p);
    print_lived(p);
    print_live(p);
    print_leaked(p);
    if (p->list->totals.SampledCount != 0) {
        print_label(p, "sampled");
        show_numbers_sampled_totals(p->out, &p->list->totals);
    }
    if (p->options->is_of_pools ? p->list->totals.PeakBytes != 0
                                : p->list->runs.peak_runs != 0) {
        print_label(p, "peak");
        if (p->options->is_of_pools)
            fprintf(p->out, "%s of mapped memory\n",
                    mpdata_units_bytes(p->list->totals.PeakBytes).text);
        else
            show_numbers_peak_totals(p->out, p->list, p->options);
    }
    print_resident(p);
    print_own(p);
    print_notes(p);
}

static void print_wrapped(const struct show_page *page,
                          void (*print)(const struct show_page *p))
{
    struct show_page lines = *page;
    struct page_wrap wrap;

    lines.out = page_wrap_start(&wrap);
    if (lines.out == NULL) {
        show_stack_fail(page->stack);
        return;
    }
    print(&lines);
    if (!page_wrap_finish(&wrap, page->out, strlen("  ") + LABEL_WIDTH,
                          page->options->width))
        show_stack_fail(page->stack);
}

/* Prints why there is nothing to show. */
static void print_empty(const struct show_page *p)
{
    const char *why = "  Nothing was allocated on the heap.\n";

    if (p->options->is_filtered)
        why = "  No call stack matches the filters.\n";
    else if (p->options->is_of_pools && p->options->is_left_out)
        why = "  No pools were recorded, or the filters left none.\n";
    else if (p->options->is_of_pools && p->list->runs.moment_runs != 0 &&
             p->list->runs.moment_runs == p->list->runs.runs)
        why = "  A moment of a log has no pools of the program.\n";
    else if (p->options->is_of_pools)
        why = "  No pools were recorded: the program maps no memory by mmap(), "
              "and does not\n  call memprof_pool_alloc().\n";
    else if (p->options->is_left_out)
        why = "  The filters left no call stack.\n";
    else if (p->list->runs.other_malloc != 0)
        why = "  No blocks were recorded: malloc is the program's own. "
              "Its blocks may be in\n  show --pools; if not, compile and link "
              "with -fmemprof-own-malloc=malloc,free,...\n";
    else if (p->list->runs.moment_runs != 0)
        why = "  No block was alive at the moment that was chosen from the "
              "log.\n";
    fputs(why, p->out);
    print_wrapped(p, print_wrappers);
}

bool show_summary(const struct show_page *p)
{
    const bool has_blocks = p->list->totals.AllocCount != 0;
    const bool is_of_blocks =
        p->options->view != SHOW_EVENTS && p->options->view != SHOW_COPIES;

    print_programs(p);
    print_runs(p);
    if (!has_blocks && is_of_blocks) {
        print_empty(p);
        return false;
    }
    print_wrapped(p, has_blocks ? print_numbers : print_wrappers);
    return true;
}
