/* show_details.c -- prints all metrics of a node of the call tree, also per
 * block, per byte and per second.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/view/show.h"

#include <string.h>

#define INDENT 11
#define NS_PER_SECOND 1e9

struct printer {
    FILE *out;
    const struct mpdata_top_list *list;
    const struct show_options *options;
    const struct show_details *details;
    size_t used; /* columns used in the line */
};

static uint64_t value_of(const struct printer *p, enum mpdata_metric metric)
{
    for (size_t i = 0; i < p->details->metric_count; i++) {
        if (p->details->metrics[i] == metric)
            return p->details->values[i];
    }
    return 0;
}

/* Prints a piece of text; starts a new line if it and a comma do not fit. */
static void print(struct printer *p, const char *text)
{
    if (p->used != 0 &&
        p->used + strlen(", ,") + strlen(text) > p->options->width) {
        fputs(",\n", p->out);
        p->used = 0;
    }
    p->used += (size_t)fprintf(p->out, "%*s%s%s", p->used == 0 ? INDENT : 0, "",
                               p->used == 0 ? "" : ", ", text);
}

/* Prints all metrics but the first, which is on the node's own line. */
static void print_metrics(struct printer *p)
{
    char text[4 * MPDATA_UNIT_BYTES];
    char number[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];

    for (size_t i = 1; i < p->details->metric_count; i++) {
        const enum mpdata_metric metric = p->details->metrics[i];
        const struct mpdata_metric_row *const m = &mpdata_metrics[metric];
        const uint64_t value = p->details->values[i];

        if (value == 0 ||
            metric == MPDATA_METRIC_LIFETIME) /* print_lifetime() prints it */
            continue;
        snprintf(text, sizeof(text), "%s %s (%s)",
                 mpdata_metrics_text(metric, value, number, sizeof(number)),
                 m->many[0] == '\0' ? m->title
                 : value == 1       ? m->one
                                    : m->many,
                 mpdata_units_share(
                     value, mpdata_metrics_get(&p->list->totals, metric), share,
                     sizeof(share)));
        print(p, text);
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
    char text[2 * MPDATA_UNIT_BYTES];
    char number[MPDATA_UNIT_BYTES];

    for (size_t i = 0; i < MPROF_ARRAY_LEN(rows); i++) {
        const uint64_t blocks = value_of(p, rows[i].blocks);

        if (blocks == 0)
            continue;
        snprintf(text, sizeof(text), "%s a block%s",
                 mpdata_units_bytes(value_of(p, rows[i].bytes) / blocks, number,
                                    sizeof(number)),
                 rows[i].bytes == MPDATA_METRIC_LIVE && p->list->runs.is_now
                     ? " now"
                     : rows[i].when);
        print(p, text);
    }
}

/* Also prints the share of a run's duration, if it is known. */
static void print_lifetime(struct printer *p)
{
    const struct mpdata_run_totals *const runs = &p->list->runs;
    const uint64_t blocks = value_of(p, MPDATA_METRIC_BLOCKS);
    char text[3 * MPDATA_UNIT_BYTES];
    char number[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];
    uint64_t lived;

    if (blocks == 0 || !p->list->held[MPDATA_METRIC_LIFETIME])
        return;
    lived = value_of(p, MPDATA_METRIC_LIFETIME) / blocks;
    mpdata_units_ns(lived, number, sizeof(number));
    mpdata_units_share(lived,
                       runs->runs != 0 ? runs->duration_ns / runs->runs : 0,
                       share, sizeof(share));
    if (share[0] == '\0')
        snprintf(text, sizeof(text), "lived %s on average", number);
    else
        snprintf(text, sizeof(text), "lived %s on average (%s of a run)",
                 number, share);
    print(p, text);
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
    char text[2 * MPDATA_UNIT_BYTES];
    char number[MPDATA_UNIT_BYTES];

    for (size_t i = 0; i < MPROF_ARRAY_LEN(rows); i++) {
        const uint64_t bytes = value_of(p, rows[i].bytes);

        if (bytes == 0 || value_of(p, MPDATA_METRIC_BYTES) == 0)
            continue;
        snprintf(text, sizeof(text), "%s %s per byte",
                 mpdata_units_rate(bytes, value_of(p, MPDATA_METRIC_BYTES),
                                   number, sizeof(number)),
                 rows[i].what);
        print(p, text);
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
    char text[3 * MPDATA_UNIT_BYTES];
    char bytes[MPDATA_UNIT_BYTES];
    char blocks[MPDATA_UNIT_BYTES];

    uint64_t count;

    if (p->list->runs.duration_ns == 0)
        return;
    count = per_second(p, value_of(p, MPDATA_METRIC_BLOCKS));
    snprintf(text, sizeof(text), "%s in %s block%s a second",
             mpdata_units_bytes(per_second(p, value_of(p, MPDATA_METRIC_BYTES)),
                                bytes, sizeof(bytes)),
             mpdata_units_count(count, blocks, sizeof(blocks)),
             mpdata_units_plural(count));
    print(p, text);
}

void show_details(FILE *out, const struct mpdata_top_list *list,
                  const struct show_options *options,
                  const struct show_details *details)
{
    struct printer p = {
        .out = out, .list = list, .options = options, .details = details};

    fputs(options->style.dim, out);
    print_metrics(&p);
    print_sizes(&p);
    print_lifetime(&p);
    print_reads(&p);
    print_pace(&p);
    fprintf(out, "%s%s", options->style.reset, p.used != 0 ? "\n" : "");
}
