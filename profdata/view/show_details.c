/* show_details.c -- prints all metrics of a node of the call tree, also per
 * block, per byte and per second.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/page.h"

#define INDENT 11
#define NS_PER_SECOND 1e9

struct printer {
    const struct mpdata_top_list *list;
    const struct show_details *details;
    struct page_line line;
};

static uint64_t value_of(const struct printer *p, enum mpdata_metric metric)
{
    for (size_t i = 0; i < p->details->metric_count; i++) {
        if (p->details->metrics[i] == metric)
            return p->details->values[i];
    }
    return 0;
}

/* Prints all metrics but the first, which is on the node's own line. */
static void print_metrics(struct printer *p)
{
    for (size_t i = 1; i < p->details->metric_count; i++) {
        const enum mpdata_metric metric = p->details->metrics[i];
        const struct mpdata_metric_row *const m = &mpdata_metrics[metric];
        const uint64_t value = p->details->values[i];

        if (value == 0 ||
            metric == MPDATA_METRIC_LIFETIME) /* print_lifetime() prints it */
            continue;
        page_piece(&p->line, "%s %s (%s)",
                   mpdata_metrics_text(metric, value).text,
                   m->many[0] == '\0' ? m->title
                   : value == 1       ? m->one
                                      : m->many,
                   mpdata_units_share(
                       value, mpdata_metrics_get(&p->list->totals, metric))
                       .text);
    }
}

static void print_sizes(struct printer *p)
{
    static const struct {
        enum mpdata_metric bytes, blocks;
        const char *when;
    } rows[] = {{MPDATA_METRIC_BYTES, MPDATA_METRIC_BLOCKS, ""},
                {MPDATA_METRIC_PEAK, MPDATA_METRIC_PEAK_BLOCKS, " at the peak"},
                {MPDATA_METRIC_LIVE, MPDATA_METRIC_LIVE_BLOCKS, " at the end"}};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(rows); i++) {
        const uint64_t blocks = value_of(p, rows[i].blocks);

        if (blocks == 0)
            continue;
        page_piece(&p->line, "%s a block%s",
                   mpdata_units_bytes(value_of(p, rows[i].bytes) / blocks).text,
                   rows[i].bytes == MPDATA_METRIC_LIVE && p->list->runs.is_now
                       ? " now"
                       : rows[i].when);
    }
}

/* Also prints the share of a run's duration, if it is known. */
static void print_lifetime(struct printer *p)
{
    const struct mpdata_run_totals *const runs = &p->list->runs;
    const uint64_t blocks = value_of(p, MPDATA_METRIC_BLOCKS);

    if (blocks == 0 || !p->list->held[MPDATA_METRIC_LIFETIME])
        return;
    uint64_t lived = value_of(p, MPDATA_METRIC_LIFETIME) / blocks;
    struct mpdata_number share = mpdata_units_share(
        lived, runs->runs != 0 ? runs->duration_ns / runs->runs : 0);
    page_piece(&p->line, "lived %s on average%s%s%s",
               mpdata_units_ns(lived).text, share.text[0] != '\0' ? " (" : "",
               share.text, share.text[0] != '\0' ? " of a run)" : "");
}

/* Prints bytes read and written per byte; below 1, parts of blocks were never
 * accessed. */
static void print_reads(struct printer *p)
{
    static const struct {
        enum mpdata_metric bytes;
        const char *what;
    } rows[] = {{MPDATA_METRIC_READ_BYTES, "read"},
                {MPDATA_METRIC_WRITE_BYTES, "written"}};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(rows); i++) {
        const uint64_t bytes = value_of(p, rows[i].bytes);

        if (bytes == 0 || value_of(p, MPDATA_METRIC_BYTES) == 0)
            continue;
        page_piece(
            &p->line, "%s %s per byte",
            mpdata_units_rate(bytes, value_of(p, MPDATA_METRIC_BYTES)).text,
            rows[i].what);
    }
}

static uint64_t per_second(const struct printer *p, uint64_t value)
{
    const double result =
        (double)value * NS_PER_SECOND / (double)p->list->runs.duration_ns;

    return result < (double)INT64_MAX ? (uint64_t)result : INT64_MAX;
}

static void print_pace(struct printer *p)
{
    if (p->list->runs.duration_ns == 0)
        return;
    page_piece(
        &p->line, "%s in %s a second",
        mpdata_units_bytes(per_second(p, value_of(p, MPDATA_METRIC_BYTES)))
            .text,
        mpdata_units_things(per_second(p, value_of(p, MPDATA_METRIC_BLOCKS)),
                            "block")
            .text);
}

void show_details(FILE *out, const struct mpdata_top_list *list,
                  const struct show_options *options,
                  const struct show_details *details)
{
    struct printer p = {
        .list = list,
        .details = details,
        .line = {.out = out, .indent = INDENT, .width = options->width}};

    fputs(options->style.dim, out);
    print_metrics(&p);
    print_sizes(&p);
    print_lifetime(&p);
    print_reads(&p);
    print_pace(&p);
    fprintf(out, "%s%s", options->style.reset, p.line.used != 0 ? "\n" : "");
}
