/* live_rows.c -- the page of memprofdata live.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/live.h"
#include "profdata/base/str.h"
#include "profdata/base/hash.h"
#include "profdata/view/show_page.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)
#define FRAMES_MAX 4
#define NAME_COLUMNS 40
#define SORT_COLUMNS 10
#define HEADING \
    "      live     growth     blocks    blocks/s   accesses  stack\n"

/* -- samples --------------------------------------------------------------- */

static uint64_t key_of(const struct mpdata_view *view, mpdata_ref node)
{
    uint64_t key = 0;

    for (; node != 0; node = view->nodes[node - 1].parent) {
        const struct mpdata_frame *const f =
            &view->frames[view->nodes[node - 1].frame];
        const uint64_t parts[] = {key, f->line, f->column,
                                  f->function != 0
                                      ? view->functions[f->function - 1].guid
                                      : f->address};

        key = mpdata_hash_bytes(parts, sizeof(parts));
    }
    return key;
}

MPROF_COMPARATOR(compare_rows, struct live_row, MPROF_UP(key))

static const struct live_row *find_row(const struct live_sample *sample,
                                       uint64_t key)
{
    static const struct live_row none;
    const struct live_row wanted = {.key = key};
    const struct live_row *const found =
        sample->count == 0 ? NULL
                           : bsearch(&wanted, sample->rows, sample->count,
                                     sizeof(wanted), compare_rows);

    return found != NULL ? found : &none;
}

static bool take_sample(struct live_sample *sample,
                        const struct mpdata_view *view,
                        const struct mpdata_top_list *list)
{
    *sample = (struct live_sample){.count = view->context_count,
                                   .ns = list->runs.duration_ns,
                                   .blocks = list->totals.AllocCount,
                                   .bytes = list->totals.TotalSize,
                                   .live_bytes = list->totals.LiveBytes};
    sample->rows = calloc((size_t)sample->count + 1, sizeof(*sample->rows));
    if (sample->rows == NULL)
        return false;
    for (uint32_t i = 0; i < sample->count; i++) {
        const struct mprof_mib mib = mpdata_view_mib(view, i);

        sample->rows[i] =
            (struct live_row){.key = key_of(view, view->contexts[i].node),
                              .live_bytes = mib.LiveBytes,
                              .blocks = mib.AllocCount};
    }
    qsort(sample->rows, sample->count, sizeof(*sample->rows), compare_rows);
    return true;
}

static void free_sample(struct live_sample *sample)
{
    free(sample->rows);
    *sample = (struct live_sample){.rows = NULL};
}

void live_rows_restart(struct live_rows *live)
{
    free_sample(&live->base);
}

void live_rows_fini(struct live_rows *live)
{
    free_sample(&live->base);
    free_sample(&live->last);
    free_sample(&live->before);
}

/* -- numbers --------------------------------------------------------------- */

/* "+1.5 KiB", "-20 B", "0" */
static struct mpdata_number growth(uint64_t before, uint64_t now)
{
    if (before == now)
        return mpdata_units_format("0");
    return now > before
               ? mpdata_units_format("+%s",
                                     mpdata_units_bytes(now - before).text)
               : mpdata_units_format("-%s",
                                     mpdata_units_bytes(before - now).text);
}

static uint64_t per_second(uint64_t before, uint64_t now, uint64_t ns)
{
    return ns == 0 || now < before
               ? 0
               : (uint64_t)((unsigned __int128)(now - before) * NS_PER_S / ns);
}

/* -- the page -------------------------------------------------------------- */

static void print_totals(const struct live_rows *live, FILE *out,
                         const struct live_sample *now,
                         const struct mpdata_top_list *list)
{
    const struct live_sample *const before = &live->before;
    const uint64_t ns = now->ns > before->ns ? now->ns - before->ns : 0;

    fprintf(out, "live       %s in %s, peak %s, %s since %s after the start\n",
            mpdata_units_bytes(now->live_bytes).text,
            mpdata_units_things(list->totals.LiveCount, "block").text,
            mpdata_units_bytes(
                mprof_max_u64(list->runs.peak_bytes, now->live_bytes))
                .text,
            growth(live->base.live_bytes, now->live_bytes).text,
            mpdata_units_ns(live->base.ns).text);
    fprintf(out, "allocated  %s in %s", mpdata_units_bytes(now->bytes).text,
            mpdata_units_things(now->blocks, "block").text);
    if (before->rows != NULL)
        fprintf(
            out, ", %s and %s a second",
            mpdata_units_bytes(per_second(before->bytes, now->bytes, ns)).text,
            mpdata_units_things(per_second(before->blocks, now->blocks, ns),
                                "block")
                .text);
    fprintf(out, "\nprofiler   %s of memory, about %s in malloc and free%s\n",
            mpdata_units_bytes(list->runs.own_memory_bytes).text,
            mpdata_units_ns(list->runs.own_time_ns).text,
            list->runs.sampled_runs != 0 ? "; sampled, so values are estimates"
                                         : "");
}

/* "mk p.c:6 < main p.c:9 < ..." */
static char *describe(struct show_frames *frames, mpdata_ref node)
{
    char *text = NULL;
    size_t size;
    FILE *const out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    for (int i = 0; node != 0;
         i++, node = frames->view.nodes[node - 1].parent) {
        const struct mpdata_frame *const f =
            &frames->view.frames[frames->view.nodes[node - 1].frame];
        char *const name = show_frame_name(frames, f, NAME_COLUMNS);
        char *const place = show_frame_location(frames, f, false);

        if (i == FRAMES_MAX)
            fputs(" < ...", out);
        else if (i < FRAMES_MAX)
            fprintf(out, "%s%s%s%s", i == 0 ? "" : " < ",
                    name != NULL ? name : "?",
                    place != NULL && place[0] != '\0' ? " " : "",
                    place != NULL ? place : "");
        free(name);
        free(place);
        if (i == FRAMES_MAX)
            break;
    }
    if (fclose(out) != 0)
        return text;
    if (text != NULL)
        mpdata_controls_replace(text, strlen(text), '?');
    return text;
}

/* Do the columns of each page have the metric? */
static bool has_column(enum mpdata_metric metric)
{
    return metric == MPDATA_METRIC_LIVE || metric == MPDATA_METRIC_BLOCKS ||
           metric == MPDATA_METRIC_ACCESSES;
}

/* What the rows are sorted by, unless another column has it. */
static void print_sort_value(FILE *out, const struct mprof_mib *mib,
                             enum mpdata_metric sort)
{
    const enum mpdata_metric metrics[] = {sort, MPDATA_METRIC_BLOCKS};
    const uint64_t values[] = {mpdata_metrics_get(mib, sort), mib->AllocCount};
    const size_t columns =
        mprof_max_u64(SORT_COLUMNS, strlen(mpdata_metrics[sort].name));

    if (has_column(sort))
        return;
    fprintf(out, "%*s ", (int)columns,
            mpdata_metrics_text(
                sort,
                mpdata_metrics_rank(values, mpdata_metrics_divisor(metrics, 2)))
                .text);
}

static void print_row(const struct live_rows *live, FILE *out,
                      const struct mpdata_view *view, uint32_t context,
                      uint64_t ns, const char *stack, enum mpdata_metric sort)
{
    const struct mprof_mib mib = mpdata_view_mib(view, context);
    const uint64_t key = key_of(view, view->contexts[context].node);

    print_sort_value(out, &mib, sort);
    fprintf(out, "%10s %10s %10s %11s %10s  %s\n",
            mpdata_units_bytes(mib.LiveBytes).text,
            growth(find_row(&live->base, key)->live_bytes, mib.LiveBytes).text,
            mpdata_units_count(mib.AllocCount).text,
            mpdata_units_count(per_second(find_row(&live->before, key)->blocks,
                                          mib.AllocCount, ns))
                .text,
            mpdata_metrics_has_accesses(&mib)
                ? mpdata_units_count(mib.TotalAccessCount).text
                : "-",
            stack);
}

static void print_rows(const struct live_rows *live, FILE *out, size_t rows,
                       struct show_frames *frames,
                       const struct mpdata_top_list *list,
                       enum mpdata_metric sort)
{
    const uint64_t now_ns = list->runs.duration_ns;
    const uint64_t ns = live->before.rows != NULL && now_ns > live->before.ns
                            ? now_ns - live->before.ns
                            : 0;
    size_t printed = 0;

    fputc('\n', out);
    if (!has_column(sort))
        fprintf(out, "%*s ", SORT_COLUMNS, mpdata_metrics[sort].name);
    fputs(HEADING, out);
    for (uint32_t i = 0; i < list->count && printed < rows; i++) {
        const uint32_t row = list->rows[i];
        char *const stack = describe(frames, frames->view.contexts[row].node);

        if (stack != NULL && strstr(stack, live->filter) != NULL) {
            print_row(live, out, &frames->view, row, ns, stack, sort);
            printed++;
        }
        frames->failed |= stack == NULL;
        free(stack);
    }
}

/* Makes the profile the last one, unless it is already. */
static bool advance(struct live_rows *live, const struct mpdata_view *view,
                    const struct mpdata_top_list *list)
{
    struct live_sample now;

    if (live->base.rows == NULL && !take_sample(&live->base, view, list))
        return false;
    if (live->last.rows != NULL && live->last.ns == list->runs.duration_ns)
        return true;
    if (!take_sample(&now, view, list))
        return false;
    free_sample(&live->before);
    live->before = live->last;
    live->last = now;
    return true;
}

static enum mprof_err print_list(struct live_rows *live, FILE *out, size_t rows,
                                 const struct mpdata_top_list *list,
                                 struct show_frames *frames,
                                 enum mpdata_metric sort)
{
    if (!advance(live, &frames->view, list))
        return MPROF_E_NOMEM;
    print_totals(live, out, &live->last, list);
    print_rows(live, out, rows, frames, list, sort);
    return frames->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

enum mprof_err live_rows_print(struct live_rows *live, FILE *out, size_t rows,
                               const struct mpdata_profile *profile,
                               const struct show_options *options)
{
    struct mpdata_top_list list;
    struct show_frames frames = {.failed = false};
    enum mprof_err err =
        mpdata_top_list_make(&list, profile, options->sort, UINT32_MAX);

    if (err == MPROF_E_OK && !show_frame_open(&frames, profile, options))
        err = MPROF_E_NOMEM;
    if (err == MPROF_E_OK)
        err = print_list(live, out, rows, &list, &frames, options->sort);
    show_frame_close(&frames);
    mpdata_top_list_fini(&list);
    return err;
}
