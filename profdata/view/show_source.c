/* show_source.c -- prints the source of some functions, with the allocations of
 * each line.
 *
 * If the file cannot be read, prints the numbers of the lines with allocations.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/str.h"
#include "profdata/base/source_file.h"
#include "profdata/query/lists.h"
#include "profdata/view/page.h"
#include "profdata/view/show_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINES_AROUND 3 /* context around a line with allocations */
#define GAP_MAX 20     /* longest gap that is printed in full */
#define BEGIN_FAR 50   /* distance up to which a first line is printed */
#define NUMBERS_WIDTH 20
#define MARGIN_WIDTH 30 /* columns before the text of a line */
#define TAB_COLUMNS 4
#define TEXT_WIDTH_MIN 20

struct page {
    FILE *out;
    struct show_stack *stack;
    const struct show_options *options;
    const struct mpdata_top_list *list;
    const struct mpdata_profile *profile;
    uint64_t whole;
    size_t divisor; /* of the values: mpdata_metrics_divisor() */
};

/* -- lines ------------------------------------------------------------------- */

/* Prints as much text as fits, without control characters. */
static void print_text(const struct page *p, const char *text, size_t size)
{
    const size_t room =
        mprof_max_u64(p->options->width, MARGIN_WIDTH + TEXT_WIDTH_MIN) -
        MARGIN_WIDTH;
    size_t columns = 0;

    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        const size_t control = mpdata_controls_bytes(text + i, size - i);

        if (c == '\r' && i + 1 == size)
            break;
        if ((c & 0xc0) != 0x80)
            columns += c == '\t' ? TAB_COLUMNS : 1;
        if (columns > room && !p->options->full_stacks)
            break;
        if (c == '\t')
            fprintf(p->out, "%*s", TAB_COLUMNS, "");
        else
            fputc(control != 0 ? '?' : c, p->out);
        i += control > 1;
    }
}

/* Formats the value that rows are sorted by: "-" for 0, "" for NULL. */
static struct mpdata_number format_value(const struct page *p,
                                         const uint64_t *values)
{
    if (values == NULL || values[0] == 0)
        return mpdata_units_format("%s", values != NULL ? "-" : "");
    return mpdata_metrics_text(p->options->sort,
                               mpdata_metrics_rank(values, p->divisor));
}

/* Prints a line of source; `group`: its values, or NULL. */
static bool print_line(const struct page *p, struct mpdata_source_file *source,
                       uint32_t line, const struct mpdata_group *group)
{
    const char *text = "";
    size_t size = 0;
    const bool has_text = mpdata_source_file_line(source, line, &text, &size);

    if (!has_text && group == NULL)
        return false;
    fprintf(p->out, "%9s  %9s",
            format_value(p, group != NULL ? group->self : NULL).text,
            format_value(p, group != NULL ? group->total : NULL).text);
    fprintf(p->out, "  %s%6" PRIu32 "%s%s", p->options->style.dim, line,
            size != 0 ? "  " : "", p->options->style.reset);
    print_text(p, text, size);
    fputc('\n', p->out);
    return true;
}

/* Prints lines from..to without values; only both ends if there are many. */
static void print_gap(const struct page *p, struct mpdata_source_file *source,
                      uint64_t from, uint64_t to)
{
    const bool is_far = to >= from + GAP_MAX;

    for (uint64_t line = from; line <= to; line++) {
        if (is_far && line == from + LINES_AROUND) {
            fprintf(p->out, "%*s  %s%6s%s\n", NUMBERS_WIDTH, "",
                    p->options->style.dim, "...", p->options->style.reset);
            line = to - LINES_AROUND + 1;
        }
        if (!print_line(p, source, (uint32_t)line, NULL))
            return;
    }
}

static void print_lines(const struct page *p,
                        const struct mpdata_source_list *list,
                        const struct mpdata_source_part *part,
                        struct mpdata_source_file *source)
{
    const struct mpdata_view view = mpdata_profile_view(p->profile);
    uint64_t next = 0; /* next line to print */

    for (uint32_t i = 0; i < part->count; i++) {
        const struct mpdata_group *const g = list->lines[part->first + i];
        const uint64_t line = view.frames[g->frame].line;

        if (i == 0 && part->begin != 0 && line - part->begin <= BEGIN_FAR)
            next = part->begin;
        else if (i == 0)
            next = line > LINES_AROUND ? line - LINES_AROUND : 1;
        if (source->is_open && line > next)
            print_gap(p, source, next, line - 1);
        print_line(p, source, (uint32_t)line, g);
        next = line + 1;
    }
    if (source->is_open && next != 0 && next + LINES_AROUND < UINT32_MAX)
        print_gap(p, source, next, next + LINES_AROUND - 1);
}

/* -- functions ----------------------------------------------------------------- */

static void print_part(const struct page *p,
                       const struct mpdata_source_list *list,
                       const struct mpdata_source_part *part)
{
    const struct show_style *const style = &p->options->style;
    char *path = mpdata_profile_path_string(p->profile, part->path, NULL);
    char *name = NULL;
    char *location = NULL;
    struct mpdata_source_file source = {.line = 1};

    if (path == NULL ||
        !show_frame_describe(show_stack_frames(p->stack), part->function->frame,
                             MPDATA_BY_FUNCTION,
                             p->options->width - PAGE_VALUES_WIDTH, &name,
                             &location)) {
        show_stack_fail(p->stack);
        free(path);
        return;
    }
    if (part->path != 0)
        source = mpdata_source_file_open(path, p->list->runs.last_start_ns);
    fputc('\n', p->out);
    page_value(p->out, p->options,
               mpdata_metrics_rank(part->function->self, p->divisor), p->whole);
    page_value(p->out, p->options,
               mpdata_metrics_rank(part->function->total, p->divisor),
               p->whole);
    fprintf(p->out, "%s%s%s\n", style->strong, name, style->reset);
    page_plain(p->out, part->path != 0 ? path : "[no source file is known]");
    if (part->path != 0 && !source.is_open)
        fputs(" [cannot be read]", p->out);
    fprintf(p->out, "%s\n",
            source.is_newer ? " [changed since the last run: lines may have "
                              "moved]"
                            : "");
    if (part->count != 0)
        fprintf(p->out, "%9s  %9s  %6s\n", "self", "total", "line");
    print_lines(p, list, part, &source);
    mpdata_source_file_close(&source);
    free(path);
    free(name);
    free(location);
}

enum mprof_err show_source(FILE *out, const struct mpdata_profile *profile,
                           const struct mpdata_top_list *list,
                           const struct show_options *options,
                           struct show_stack *stack)
{
    const enum mpdata_metric metrics[] = {options->sort, MPDATA_METRIC_BLOCKS};
    const struct page p = {.out = out,
                           .stack = stack,
                           .options = options,
                           .list = list,
                           .profile = profile,
                           .whole =
                               mpdata_metrics_get(&list->totals, options->sort),
                           .divisor = mpdata_metrics_divisor(metrics, 2)};
    bool *is_frame = mpdata_frame_match(
        profile, show_stack_frames(stack)->names, &options->matcher);
    struct mpdata_source_list source;

    if (is_frame == NULL)
        return MPROF_E_NOMEM;
    enum mprof_err err = mpdata_source_list_make(&source, profile, is_frame,
                                                 metrics, 1 + p.divisor);
    if (err == MPROF_E_OK && source.count == 0)
        fprintf(out, "\nNo function that matches %s has any %s.\n",
                options->pattern, options->title);
    if (err == MPROF_E_OK && source.count != 0)
        page_title(out, &options->style, "Source of %s by %s%s",
                   options->pattern, options->title, options->estimates);
    if (err == MPROF_E_OK && source.count != 0)
        fprintf(out, "%18s  %18s\n", "self", "total");
    for (uint32_t i = 0; err == MPROF_E_OK && i < source.count; i++)
        print_part(&p, &source, &source.parts[i]);
    mpdata_source_list_fini(&source);
    free(is_frame);
    return err;
}
