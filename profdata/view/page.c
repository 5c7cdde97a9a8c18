/* page.c -- parts of pages that several text views have.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/page.h"
#include "profdata/view/show_page.h"
#include "profdata/base/str.h"
#include "profdata/query/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH_MIN 16
#define FRAME_WIDTH_MIN 20
#define BAR_WIDTH_MIN 10
#define BAR_WIDTH_MAX 60
#define PIECE_BYTES (6 * MPDATA_UNIT_BYTES)

/* -- names ----------------------------------------------------------------- */

void page_plain(FILE *out, const char *text)
{
    const char *const end = text + strlen(text);

    while (text < end) {
        const size_t control =
            mpdata_controls_bytes(text, (size_t)(end - text));

        fputc(control != 0 ? '?' : *text, out);
        text += control != 0 ? control : 1;
    }
}

/* Returns the columns left for a name, at least `least`. */
static size_t room_after(const struct show_options *options, size_t before,
                         size_t least)
{
    return mprof_max_u64(options->width, before + least) - before;
}

bool page_name(FILE *out, const struct show_options *options, const char *name,
               size_t before)
{
    char *const text = strdup(name);

    if (text == NULL)
        return false;
    if (!options->full_stacks)
        mpdata_names_shorten(text, room_after(options, before, NAME_WIDTH_MIN));
    mpdata_controls_replace(text, strlen(text), '?');
    fprintf(out, "%s%s%s\n", options->style.strong, text, options->style.reset);
    free(text);
    return true;
}

size_t page_room(const struct show_options *options, size_t before)
{
    return room_after(options, before, FRAME_WIDTH_MIN);
}

void page_frame(FILE *out, struct show_stack *stack, uint32_t frame,
                enum mpdata_by by, size_t room)
{
    const struct show_style *const style =
        &show_stack_frames(stack)->options->style;
    char *name;
    char *location;

    if (!show_frame_describe(show_stack_frames(stack), frame, by, room, &name,
                             &location))
        return;
    fprintf(out, "%s%s%s", style->strong, name, style->reset);
    if (location[0] != '\0')
        fprintf(out, "  %s%s%s", style->dim, location, style->reset);
    fputc('\n', out);
    free(name);
    free(location);
}

/* -- titles ---------------------------------------------------------------- */

void page_title(FILE *out, const struct show_style *style, const char *format,
                ...)
{
    va_list args;

    fprintf(out, "\n%s", style->strong);
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fprintf(out, "%s\n\n", style->reset);
}

void page_table_title(FILE *out, const struct show_options *options)
{
    const struct mpdata_number things =
        mpdata_units_plural(mpdata_by_name(options->by), 0);

    page_title(out, &options->style, "%c%s by %s%s", toupper(things.text[0]),
               things.text + 1, options->title, options->estimates);
}

/* -- values ---------------------------------------------------------------- */

void page_value(FILE *out, const struct show_options *options, uint64_t value,
                uint64_t whole)
{
    fprintf(out, "%9s  %s%7s%s  ",
            value != 0 ? mpdata_metrics_text(options->sort, value).text : "-",
            options->style.accent,
            value != 0 && options->sort != MPDATA_METRIC_LIFETIME
                ? mpdata_units_share(value, whole).text
                : "",
            options->style.reset);
}

void page_more(FILE *out, const struct show_style *style, uint64_t shown,
               uint64_t all, const char *thing, const char *detail, ...)
{
    va_list args;

    if (shown >= all)
        return;
    fprintf(out, "%s%s more%s%s", style->dim,
            mpdata_units_count(all - shown).text, thing != NULL ? " " : "",
            thing != NULL ? mpdata_units_plural(thing, all - shown).text : "");
    va_start(args, detail);
    vfprintf(out, detail, args);
    va_end(args);
    fprintf(out, "; --top=%" PRIu64 " shows all%s\n", all, style->reset);
}

/* -- bars ------------------------------------------------------------------ */

uint64_t page_bar_width(const struct show_options *options, uint64_t others)
{
    return mprof_min_u64(room_after(options, others, BAR_WIDTH_MIN),
                         BAR_WIDTH_MAX);
}

uint64_t page_bar_unit(uint64_t most, uint64_t width)
{
    return most / width + (most % width != 0);
}

uint64_t page_bar(FILE *out, uint64_t value, uint64_t unit)
{
    const uint64_t marks = value / unit;

    if (value != 0 && marks == 0) {
        fputc('.', out);
        return 1;
    }
    for (uint64_t i = 0; i < marks; i++)
        fputc('#', out);
    return marks;
}

/* -- long lines ------------------------------------------------------------ */

void page_piece(struct page_line *line, const char *format, ...)
{
    char text[PIECE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (line->used != 0 &&
        line->used + strlen(", ,") + strlen(text) > line->width) {
        fputs(",\n", line->out);
        line->used = 0;
    }
    line->used += (size_t)fprintf(line->out, "%*s%s%s",
                                  line->used == 0 ? (int)line->indent : 0, "",
                                  line->used == 0 ? "" : ", ", text);
}

FILE *page_wrap_start(struct page_wrap *wrap)
{
    *wrap = (struct page_wrap){.text = NULL};
    wrap->out = open_memstream(&wrap->text, &wrap->size);
    return wrap->out;
}

/* Returns the space at which to break a line so that `width` columns suffice:
 * the last one after a comma or semicolon in the right half, else the last one,
 * else the first one beyond. NULL: none. */
static char *find_break(char *line, size_t indent, size_t width)
{
    char *any = NULL;
    char *best = NULL;
    char *at = line + strnlen(line, indent);

    for (at = strchr(at, ' '); at != NULL; at = strchr(at + 1, ' ')) {
        *at = '\0';
        size_t columns = mpdata_names_columns(line);
        *at = ' ';
        if (columns > width)
            return best != NULL ? best : any != NULL ? any : at;
        any = at;
        if (columns > width / 2 && (at[-1] == ',' || at[-1] == ';'))
            best = at;
    }
    return best != NULL ? best : any;
}

static void put_line(FILE *out, char *line, size_t indent, size_t width)
{
    size_t taken = indent; /* leading columns that are not broken */
    size_t room = width;

    while (mpdata_names_columns(line) > room) {
        char *const space = find_break(line, taken, room);

        if (space == NULL)
            break;
        *space = '\0';
        fprintf(out, "%s\n%*s", line, (int)indent, "");
        line = space + 1;
        taken = 0;
        room = width - indent;
    }
    fprintf(out, "%s\n", line);
}

bool page_wrap_finish(struct page_wrap *wrap, FILE *out, size_t indent,
                      size_t width)
{
    const bool is_done = fclose(wrap->out) == 0 && wrap->text != NULL;
    char *line = wrap->text;

    for (char *end; is_done && (end = strchr(line, '\n')) != NULL;
         line = end + 1) {
        *end = '\0';
        put_line(out, line, indent, width);
    }
    free(wrap->text);
    return is_done;
}

/* -- notes ----------------------------------------------------------------- */

bool page_notes(FILE *out, const struct show_options *options, const char *line)
{
    static const char before[] = "Note: ";
    struct page_wrap wrap;
    FILE *const wrapped = page_wrap_start(&wrap);

    if (wrapped == NULL)
        return false;
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        fprintf(wrapped, "%s%.*s\n", before, (int)(end - line), line);
    return page_wrap_finish(&wrap, out, strlen(before), options->width);
}

void page_wrappers(FILE *out, const struct show_options *options,
                   const char *before)
{
    if (options->wrapped != 0)
        fprintf(out,
                "%sallocation wrappers are hidden in %s; --wrappers shows "
                "them\n",
                before,
                mpdata_units_things(options->wrapped, "call stack").text);
}
