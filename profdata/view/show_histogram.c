/* show_histogram.c -- prints histograms of accesses: a bar and a number for
 * each part of a block, or of an array's element.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/names.h"
#include "profdata/query/members.h"
#include "profdata/query/histogram.h"
#include "profdata/query/run_totals.h"
#include "profdata/query/frames.h"
#include "profdata/view/page.h"

#include <inttypes.h>
#include <string.h>

#define NUMBERS_WIDTH 45 /* columns before the bar */
#define FIELDS_WIDTH 24  /* columns after the bar, with a space */

/* How a histogram is drawn. */
struct drawing {
    const struct mpdata_histogram *histogram;
    struct mpdata_members fields; /* fields of a block or element */
    uint64_t width;               /* columns of bars */
    uint64_t unit;                /* accesses per mark of a bar */
};

/* Prints field names after a bar of `bar` columns, truncated with "...". */
static void print_fields(FILE *out, const struct drawing *d, uint64_t from,
                         uint64_t to, uint64_t bar)
{
    char names[256];
    const int pad = (int)(d->width - bar) + 1;

    if (d->fields.text == NULL)
        return;
    mpdata_members_at(&d->fields, from, to, names, sizeof(names));
    if (names[0] == '\0')
        return;
    if (mpdata_names_columns(names) >= FIELDS_WIDTH)
        mpdata_names_cut(names, FIELDS_WIDTH - 1);
    fprintf(out, "%*s%s", pad, "", names);
}

/* Prints rows [i, end) as one line. These are several rows only if none has
 * accesses. */
static void print_row(FILE *out, const struct drawing *d, uint32_t i,
                      uint32_t end)
{
    const struct mpdata_histogram *const h = d->histogram;
    const uint64_t value = h->rows[i];
    uint64_t bar = 0;

    fprintf(out, PAGE_INDENT "%7" PRIu64 " .. %-7" PRIu64 " %11s",
            i * h->row_bytes, end * h->row_bytes - 1,
            value != 0 ? mpdata_units_count(value).text : "-");
    if (value != 0) {
        fprintf(out, " %7s  ", mpdata_units_share(value, h->all).text);
        bar = page_bar(out, value, d->unit);
    } else if (d->fields.text != NULL) {
        fprintf(out, " %7s  ", "");
    }
    print_fields(out, d, i * h->row_bytes, end * h->row_bytes, bar);
    fputc('\n', out);
}

/* element_bytes: size of the element that rows are offsets in; 0: blocks. */
static void print_histogram(FILE *out, const struct show_options *options,
                            const struct mpdata_histogram *h,
                            const struct mpdata_members *fields,
                            uint64_t element_bytes)
{
    const uint64_t width = page_bar_width(
        options, NUMBERS_WIDTH + (fields->text != NULL ? FIELDS_WIDTH : 0));
    const struct drawing drawing = {.histogram = h,
                                    .fields = *fields,
                                    .width = width,
                                    .unit = page_bar_unit(h->most, width)};

    fprintf(
        out, PAGE_INDENT "%s%18s %12s   each # is %s%s\n", options->style.dim,
        element_bytes == 0 ? "byte of a block"
        : h->is_of_places && element_bytes % MPDATA_HISTOGRAM_PLACE_BYTES != 0
            ? "byte of a block"
            : "byte of an element",
        "accesses", mpdata_units_count(drawing.unit).text,
        options->style.reset);
    for (uint32_t i = 0, end; i < h->count; i = end) {
        end = i + 1;
        /* With field names, do not join rows, so that each field is visible. */
        while (fields->text == NULL && h->rows[i] == 0 && end < h->count &&
               h->rows[end] == 0)
            end++;
        print_row(out, &drawing, i, end);
    }
}

static void print_arrays(FILE *out, const struct mpdata_view *view,
                         mpdata_ref leaf)
{
    const struct mpdata_str *const type =
        &view->strings[mpdata_types_of(view, leaf)];

    fprintf(out, ", arrays of %.*s of %s", (int)type->size, type->bytes,
            mpdata_units_bytes(mpdata_types_bytes(view, leaf)).text);
}

/* Prints the line before a histogram. */
static void print_title(FILE *out, const struct show_options *options,
                        const struct mpdata_view *view, uint32_t row,
                        uint32_t context, bool are_arrays)
{
    const struct mprof_mib mib = mpdata_view_mib(view, context);

    fprintf(out, "%s%2" PRIu32 ".  %s", options->style.strong, row + 1,
            mpdata_units_things(mib.AllocCount, "block").text);
    if (mib.MaxSize != 0)
        fprintf(out, " of %s", mpdata_units_bytes(mib.MinSize).text);
    if (mib.MaxSize != mib.MinSize)
        fprintf(out, " to %s", mpdata_units_bytes(mib.MaxSize).text);
    if (are_arrays)
        print_arrays(out, view, view->contexts[context].node);
    fprintf(out, "%s\n", options->style.reset);
}

void show_histogram(FILE *out, const struct mpdata_profile *profile,
                    const struct mpdata_top_list *list,
                    const struct show_options *options,
                    struct show_stack *stack)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    uint32_t shown = 0;

    for (uint32_t i = 0; i < list->count && shown < options->top; i++) {
        const uint32_t context = list->rows[i];
        const uint64_t of_type =
            options->has_element ? 0 : mpdata_histogram_element(&view, context);
        const uint64_t element =
            of_type != 0 ? of_type : options->element_bytes;
        struct mpdata_histogram histogram;
        struct mpdata_members fields = {.text = NULL};

        mpdata_histogram_make(&histogram, &view, context, element);
        if (histogram.count == 0)
            continue;
        if (shown == 0)
            page_title(out, &options->style,
                       "Accesses by offset, of call stacks by %s",
                       options->title);
        print_title(out, options, &view, shown, context, of_type != 0);
        if (!options->has_element)
            fields = mpdata_members_of(&view, context);
        print_histogram(out, options, &histogram, &fields, element);
        show_stack_print(out, stack, view.contexts[context].node, shown++);
        fputc('\n', out);
    }
    if (shown == 0 && mpdata_run_totals_are_moments(&view))
        fputs("\nA moment of a log has no histograms.\n", out);
    else if (shown == 0)
        fputs("\nNo call stack has a histogram: compile with "
              "-mllvm -memprof-histogram or\n-memprof-access=fields (logs "
              "have only the former), or call\nmemprof_histogram() of a "
              "block, for one.\n",
              out);
}
