/* show_timeline.c -- prints runs over time: a chart of live bytes, below it
 * phases, marks and the peak.
 *
 * A column is the largest number of live bytes in its part of the run. A part
 * without samples takes over the previous value.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/page.h"
#include "shared/raw_format.h"

#include <inttypes.h>
#include <string.h>

#define HEIGHT 12
#define LABEL_WIDTH 13 /* columns before the chart */
#define COLUMNS_MIN 20
#define COLUMNS_MAX 200
#define LETTERS 26

struct chart {
    FILE *out;
    const struct show_options *options;
    const struct mpdata_view *view;
    const struct mpdata_series *series;
    const struct mpdata_run *run; /* or NULL */
    uint32_t columns;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t most; /* largest value of all columns */
    uint64_t values[COLUMNS_MAX];
    char below[COLUMNS_MAX + 1];
};

static uint32_t column_of(const struct chart *c, uint64_t ns)
{
    const uint64_t span =
        mprof_max_u64(1, mprof_sub_sat_u64(c->end_ns, c->start_ns));
    const uint64_t at = mprof_min_u64(mprof_sub_sat_u64(ns, c->start_ns), span);

    return (uint32_t)mprof_min_u64(
        (uint64_t)((double)at / (double)span * c->columns), c->columns - 1);
}

static void fill(struct chart *c)
{
    const struct mpdata_series *const s = c->series;
    uint32_t next = 0; /* next column to fill */
    uint64_t before = 0;

    for (uint32_t i = 0; i < s->sample_count; i++) {
        const struct mpdata_sample *const sample = &s->samples[i];
        const uint32_t first = column_of(c, sample->ns);
        const uint32_t last = column_of(
            c, mprof_max_u64(sample->ns,
                             mprof_add_sat_u64(sample->ns, s->step_ns) - 1));

        while (next < first)
            c->values[next++] = before;
        for (uint32_t at = first; at <= last; at++)
            c->values[at] =
                mprof_max_u64(at < next ? c->values[at] : 0, sample->most);
        next = last + 1;
        before = sample->bytes;
        c->most = mprof_max_u64(c->most, sample->most);
    }
    while (next < c->columns)
        c->values[next++] = before;
}

static const struct mpdata_run *find_run(const struct mpdata_view *view,
                                         uint64_t run_id)
{
    const struct mpdata_run *found = NULL;

    for (uint32_t i = 0; i < view->run_count; i++) {
        if (view->runs[i].run_id == run_id && view->runs[i].has_live)
            found = &view->runs[i];
    }
    return found;
}

/* Whether live bytes are estimated from sampled blocks. */
static bool is_estimated(const struct chart *c)
{
    return c->run != NULL && c->run->sample_period_bytes != 0;
}

static void print_title(const struct chart *c)
{
    const struct mpdata_series *const s = c->series;
    uint64_t rss = 0;

    for (uint32_t i = 0; i < s->sample_count; i++)
        rss = mprof_max_u64(rss, s->samples[i].rss);
    fprintf(c->out, "\n%sBytes alive over time%s", c->options->style.strong,
            is_estimated(c) ? " (estimates)" : "");
    if (c->run != NULL && c->run->pid != 0)
        fprintf(c->out, ", process %" PRIu64, c->run->pid);
    fprintf(c->out, "%s (%s, in steps of %s", c->options->style.reset,
            mpdata_units_ns(c->end_ns - c->start_ns).text,
            mpdata_units_ns(s->step_ns).text);
    if (rss != 0)
        fprintf(c->out, "; at most %s resident", mpdata_units_bytes(rss).text);
    fputs(")\n\n", c->out);
}

static void print_bars(const struct chart *c)
{
    for (uint32_t line = HEIGHT; line > 0; line--) {
        /* A line is filled from half of its range on. */
        const double least =
            (double)c->most * ((double)line - 0.5) / (double)HEIGHT;
        const bool has_label = line == HEIGHT || line == HEIGHT / 2;

        fprintf(c->out, "  %*s |", LABEL_WIDTH - 4,
                !has_label
                    ? ""
                    : mpdata_units_bytes(line == HEIGHT ? c->most : c->most / 2)
                          .text);
        uint32_t end = c->columns;
        while (end > 0 && (double)c->values[end - 1] < least)
            end--;
        for (uint32_t i = 0; i < end; i++)
            fputc((double)c->values[i] >= least && c->values[i] != 0 ? '#'
                                                                     : ' ',
                  c->out);
        fputc('\n', c->out);
    }
    fprintf(c->out, "  %*s +", LABEL_WIDTH - 4, "0");
    for (uint32_t i = 0; i < c->columns; i++)
        fputc('-', c->out);
    fputc('\n', c->out);
}

/* Puts a letter at its column; the first of several letters wins. */
static void put_below(struct chart *c, uint64_t ns, char letter)
{
    char *const at = &c->below[column_of(c, ns)];

    if (*at == ' ')
        *at = letter;
}

/* Prints the line of letters and empties it. */
static void print_below(struct chart *c)
{
    size_t end = c->columns;

    while (end > 0 && c->below[end - 1] == ' ')
        end--;
    if (end != 0)
        fprintf(c->out, "%*s%.*s\n", LABEL_WIDTH, "", (int)end, c->below);
    memset(c->below, ' ', sizeof(c->below));
}

static char letter_of(const struct mpdata_mark *mark, uint32_t number)
{
    const char first = mark->kind == MPROF_RAW_MARK_PHASE ? 'A' : 'a';

    return number < LETTERS ? (char)(first + (int)number) : '*';
}

static void print_mark(const struct chart *c, const struct mpdata_mark *mark,
                       char letter)
{
    const bool is_phase = mark->kind == MPROF_RAW_MARK_PHASE;

    fprintf(c->out, "%*s%c  %10s  %10s alive  %s", LABEL_WIDTH, "", letter,
            mpdata_units_ns(mark->ns).text,
            mpdata_units_bytes(mark->bytes).text,
            !is_phase         ? "mark "
            : mark->name == 0 ? "no phase"
                              : "phase ");
    page_plain(c->out, c->view->strings[mark->name].bytes);
    fputc('\n', c->out);
}

/* Puts capital letters for phases, small ones for marks. */
static void print_letters(struct chart *c, bool phases)
{
    const struct mpdata_series *const s = c->series;
    uint32_t number = 0;

    for (uint32_t i = 0; i < s->mark_count; i++) {
        if ((s->marks[i].kind == MPROF_RAW_MARK_PHASE) == phases)
            put_below(c, s->marks[i].ns, letter_of(&s->marks[i], number++));
    }
    print_below(c);
}

/* Prints options->top marks, but at least all that have a letter. */
static void print_marks(const struct chart *c)
{
    const struct mpdata_series *const s = c->series;
    const uint32_t shown = (uint32_t)mprof_min_u64(
        s->mark_count, mprof_max_u64(c->options->top, LETTERS));
    uint32_t numbers[2] = {0, 0};

    for (uint32_t i = 0; i < shown; i++) {
        const bool is_phase = s->marks[i].kind == MPROF_RAW_MARK_PHASE;

        print_mark(c, &s->marks[i],
                   letter_of(&s->marks[i], numbers[is_phase]++));
    }
    if (shown < s->mark_count)
        fprintf(c->out, "%*sand %s more (--top=N shows them)\n", LABEL_WIDTH,
                "", mpdata_units_count(s->mark_count - shown).text);
    if (s->dropped_marks != 0)
        fprintf(c->out, "%*s%s more did not fit into the profile\n",
                LABEL_WIDTH, "", mpdata_units_count(s->dropped_marks).text);
}

static void print_peak(const struct chart *c)
{
    if (c->run == NULL || c->run->peak_bytes == 0)
        return;
    fprintf(c->out, "%*s^  %10s  %10s alive  peak%s\n", LABEL_WIDTH, "",
            mpdata_units_ns(c->run->peak_ns).text,
            mpdata_units_bytes(c->run->peak_bytes).text,
            is_estimated(c) ? ", an estimate" : "");
}

static void print_times(const struct chart *c)
{
    const struct mpdata_number start = mpdata_units_ns(c->start_ns);
    const int room = (int)c->columns - (int)strlen(start.text);

    fprintf(c->out, "%*s%s%*s\n", LABEL_WIDTH, "", start.text, room,
            mpdata_units_ns(c->end_ns).text);
}

static void print_chart(struct chart *c)
{
    const struct mpdata_series *const s = c->series;

    c->start_ns = s->samples[0].ns;
    /* The duration in the file may be wrong. */
    c->end_ns =
        c->run != NULL
            ? c->run->duration_ns
            : mprof_add_sat_u64(s->samples[s->sample_count - 1].ns, s->step_ns);
    c->end_ns = mprof_max_u64(c->end_ns, mprof_add_sat_u64(c->start_ns, 1));
    memset(c->below, ' ', sizeof(c->below));
    fill(c);
    print_title(c);
    print_bars(c);
    if (c->run != NULL && c->run->peak_bytes != 0)
        put_below(c, c->run->peak_ns, '^');
    print_below(c);
    print_letters(c, true);
    print_letters(c, false);
    print_times(c);
    print_peak(c);
    print_marks(c);
}

void show_timeline(FILE *out, const struct mpdata_profile *profile,
                   const struct mpdata_top_list *list,
                   const struct show_options *options)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const uint64_t room =
        options->width > LABEL_WIDTH ? options->width - LABEL_WIDTH : 0;

    for (uint32_t i = 0; i < view.series_count && i < options->top; i++) {
        struct chart chart = {
            .out = out,
            .options = options,
            .view = &view,
            .series = &view.series[i],
            .run = find_run(&view, view.series[i].run_id),
            .columns = (uint32_t)mprof_min_u64(mprof_max_u64(room, COLUMNS_MIN),
                                               COLUMNS_MAX)};

        if (view.series[i].sample_count != 0)
            print_chart(&chart);
    }
    if (view.series_count != 0 && options->is_left_out)
        fputs("\nNote: " MPDATA_LEFT_OUT_NOT_OVER_TIME ".\n", out);
    if (view.series_count == 0)
        fputs("\nThe profile has no data over time.\n", out);
    else if (list->runs.runs > view.series_count)
        fprintf(out,
                "\nThe profile has data over time for %" PRIu32
                " of %s runs.\n",
                view.series_count, mpdata_units_count(list->runs.runs).text);
}
