/* show_stack.c -- prints a call stack for people.
 *
 * Readers look for their own code. So, except with full_stacks: consecutive
 * frames inside the C++ library are one line, except the outermost one, which
 * the program called; frames before main() are one line; long names are
 * shortened (show_frame.c); of a deep stack both ends are printed. Column
 * numbers rarely help, so they are printed only if two call stacks would look
 * the same without them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/str.h"
#include "profdata/base/map.h"
#include "profdata/query/names.h"
#include "profdata/base/vec.h"
#include "profdata/view/page.h"
#include "profdata/view/show_page.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH_MIN 24
#define NAME_WIDTH_MAX 72
#define FRAMES_MAX 14 /* maximum number of lines of a stack */
#define FRAMES_FIRST 9
#define FRAMES_LAST 4

/* What a line of a stack stands for. */
enum line_kind { LINE_FRAME, LINE_LIBRARY, LINE_START, LINE_DEEP };

struct line {
    enum line_kind kind;
    uint32_t frame; /* for LINE_FRAME */
    uint32_t count; /* number of frames it stands for */
    bool has_column;
};

/* What a call stack looks like without columns. */
struct look {
    uint64_t hash;
    uint32_t row; /* number of the printed row */
    uint32_t lines;
};

struct show_stack {
    struct show_frames of;
    bool *starts; /* by node ref: mpdata_starts() */
    /* Of the current stack, leaf first; room for the deepest one. */
    uint32_t *frames;     /* without those of start-up, unless full_stacks */
    uint32_t start_count; /* frames of start-up */
    uint32_t start_at;    /* where they stood in `frames` */
    struct line *lines;
    /* By row: index into `marks` of one byte for each of its lines that says
     * whether to print its column; 0: none. NULL: no row prints columns. */
    uint32_t *columns;
    struct mpdata_vec marks; /* uint8_t */
};

/* Makes room for the deepest call stack. Returns false when out of memory. */
static bool make_room(struct show_stack *s)
{
    uint32_t *const depths = mpdata_profile_depths(&s->of.view);
    uint32_t most = 0;

    for (uint32_t i = 0; depths != NULL && i < s->of.view.node_count; i++)
        most = (uint32_t)mprof_max_u64(most, depths[i + 1]);
    free(depths);
    s->starts = mpdata_starts(s->of.profile, s->of.names);
    s->frames = mpdata_vec_array(most, sizeof(*s->frames));
    s->lines = mpdata_vec_array(most, sizeof(*s->lines));
    return depths != NULL && s->starts != NULL && s->frames != NULL &&
           s->lines != NULL;
}

struct show_stack *show_stack_new(const struct mpdata_profile *profile,
                                  const struct show_options *options)
{
    struct show_stack *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->marks.elem_bytes = sizeof(uint8_t);
    if (!show_frame_open(&s->of, profile, options) || !make_room(s)) {
        show_stack_free(s);
        s = NULL;
    }
    return s;
}

struct show_frames *show_stack_frames(struct show_stack *s)
{
    return &s->of;
}

bool show_stack_failed(const struct show_stack *s)
{
    return s->of.failed || mpdata_frame_names_failed(s->of.names);
}

void show_stack_fail(struct show_stack *s)
{
    s->of.failed = true;
}

void show_stack_free(struct show_stack *s)
{
    if (s == NULL)
        return;
    show_frame_close(&s->of);
    free(s->starts);
    free(s->frames);
    free(s->lines);
    free(s->columns);
    mpdata_vec_fini(&s->marks);
    free(s);
}

/* -- choosing lines -------------------------------------------------------- */

/* Sets s->frames, and what of start-up is left out. Returns their number. */
static uint32_t collect_frames(struct show_stack *s, mpdata_ref node)
{
    uint32_t n = 0;

    s->start_count = 0;
    for (mpdata_ref at = node; at != 0; at = s->of.view.nodes[at - 1].parent) {
        if (n != 0 && s->starts[at] && !s->of.options->full_stacks) {
            s->start_count++;
            s->start_at = n;
        } else {
            s->frames[n++] = s->of.view.nodes[at - 1].frame;
        }
    }
    return n;
}

static bool is_library(struct show_stack *s, uint32_t frame)
{
    const struct mpdata_frame *e = &s->of.view.frames[frame];

    return e->function != 0 &&
           mpdata_names_is_library(mpdata_frame_names_function(s->of.names, e));
}

enum show_frame_kind show_stack_kind(struct show_stack *s, uint32_t frame)
{
    const struct mpdata_frame *e = &s->of.view.frames[frame];

    if (e->function != 0 &&
        mpdata_names_is_start(mpdata_frame_names_linkage(s->of.names, e)))
        return SHOW_FRAME_START;
    return is_library(s, frame) ? SHOW_FRAME_LIBRARY : SHOW_FRAME_OWN;
}

static void add_line(struct show_stack *s, uint32_t *lines, enum line_kind kind,
                     uint32_t frame, uint32_t count)
{
    s->lines[(*lines)++] =
        (struct line){.kind = kind, .frame = frame, .count = count};
}

static uint32_t fold_deep(struct show_stack *s, uint32_t lines)
{
    const uint32_t first_last = lines - FRAMES_LAST;
    uint32_t hidden = 0;

    if (lines <= FRAMES_MAX)
        return lines;
    for (uint32_t i = FRAMES_FIRST; i < first_last; i++)
        hidden += s->lines[i].count;
    s->lines[FRAMES_FIRST] = (struct line){.kind = LINE_DEEP, .count = hidden};
    memmove(&s->lines[FRAMES_FIRST + 1], &s->lines[first_last],
            FRAMES_LAST * sizeof(*s->lines));
    return FRAMES_FIRST + 1 + FRAMES_LAST;
}

static uint32_t choose_lines(struct show_stack *s, uint32_t count)
{
    uint32_t lines = 0;
    uint32_t inside = 0; /* library frames since the last line */

    for (uint32_t i = 0; i < count; i++) {
        const bool more_library =
            !s->of.options->full_stacks && i + 1 < count &&
            is_library(s, s->frames[i]) && is_library(s, s->frames[i + 1]);

        if (more_library) {
            inside++;
            continue;
        }
        if (inside != 0)
            add_line(s, &lines, LINE_LIBRARY, 0, inside);
        add_line(s, &lines, LINE_FRAME, s->frames[i], 1);
        inside = 0;
        if (s->start_count != 0 && i + 1 == s->start_at)
            add_line(s, &lines, LINE_START, 0, s->start_count);
    }
    return s->of.options->full_stacks ? lines : fold_deep(s, lines);
}

/* -- similar stacks -------------------------------------------------------- */

/* Chooses the lines of a context's stack. Returns their number; 0 if there is
 * no stack. */
static uint32_t look_at(struct show_stack *s, uint32_t context)
{
    return choose_lines(s,
                        collect_frames(s, s->of.view.contexts[context].node));
}

static uint64_t hash_lines(const struct show_stack *s, uint32_t lines)
{
    uint64_t hash = lines;

    for (uint32_t i = 0; i < lines; i++) {
        const struct line *line = &s->lines[i];
        const struct mpdata_frame *e = &s->of.view.frames[line->frame];

        hash =
            mpdata_hash_words(hash, ((uint64_t)line->kind << 32) | line->count);
        if (line->kind != LINE_FRAME)
            continue;
        hash = mpdata_hash_words(hash, ((uint64_t)e->function << 32) | e->path);
        hash = mpdata_hash_words(hash, ((uint64_t)e->line << 32) |
                                           (e->flags & MPROF_ENTRY_FL_INLINE));
        if (e->function == 0) {
            hash = mpdata_hash_words(hash, e->binary);
            hash = mpdata_hash_words(hash, e->address);
        }
    }
    return hash;
}

MPROF_COMPARATOR(compare_looks, struct look, MPROF_UP(hash) ?: MPROF_UP(lines))

static bool is_same_look(const struct look *a, const struct look *b)
{
    return a->hash == b->hash && a->lines == b->lines;
}

static uint32_t line_column(const struct show_stack *s, uint32_t line)
{
    return s->lines[line].kind == LINE_FRAME
               ? s->of.view.frames[s->lines[line].frame].column
               : 0;
}

/* Marks the lines in which `count` stacks of one look differ by column. */
static bool mark_columns(struct show_stack *s, const uint32_t *contexts,
                         const struct look *looks, uint32_t count)
{
    const uint32_t lines = looks[0].lines;
    const uint32_t first = s->marks.count;
    uint32_t *columns = mpdata_vec_array(lines, sizeof(*columns));
    bool has_room = columns != NULL;

    for (uint32_t i = 0; has_room && i < lines; i++)
        has_room = mpdata_vec_push(&s->marks) != NULL;
    for (uint32_t i = 0; has_room && i < count; i++) {
        /* Out of memory, a stack may have fewer lines than before. */
        const uint32_t seen = look_at(s, contexts[looks[i].row]);

        s->columns[looks[i].row] = first;
        for (uint32_t n = 0; n < lines && n < seen; n++) {
            uint8_t *const mark = (uint8_t *)s->marks.data + first + n;

            if (i == 0)
                columns[n] = line_column(s, n);
            *mark |= columns[n] != line_column(s, n);
        }
    }
    free(columns);
    return has_room;
}

void show_stack_compare(struct show_stack *s, const uint32_t *contexts,
                        uint32_t count)
{
    struct look *looks = mpdata_vec_array(count, sizeof(*looks));

    s->columns = mpdata_vec_array(count, sizeof(*s->columns));
    /* Mark 0 is unused, since index 0 means no marks. */
    bool is_done = looks != NULL && s->columns != NULL &&
                   mpdata_vec_push(&s->marks) != NULL;
    for (uint32_t i = 0; is_done && i < count; i++) {
        const uint32_t lines = look_at(s, contexts[i]);

        looks[i] = (struct look){hash_lines(s, lines), i, lines};
    }
    if (is_done)
        qsort(looks, count, sizeof(*looks), compare_looks);
    for (uint32_t i = 0, n; is_done && i < count; i += n) {
        n = 1;
        while (i + n < count && is_same_look(&looks[i], &looks[i + n]))
            n++;
        if (n > 1)
            is_done = mark_columns(s, contexts, &looks[i], n);
    }
    s->of.failed |= !is_done;
    free(looks);
}

/* Makes the lines of a printed row show the columns that distinguish it. */
static void show_columns(struct show_stack *s, uint32_t row, uint32_t lines)
{
    const uint32_t first = s->columns != NULL ? s->columns[row] : 0;
    const uint8_t *const marks = s->marks.data;

    /* Out of memory, there may be more lines than were compared. */
    for (uint32_t i = 0; first != 0 && i < lines && first + i < s->marks.count;
         i++)
        s->lines[i].has_column = marks[first + i] != 0;
}

/* -- printing lines -------------------------------------------------------- */

/* Formats name and location of a frame; both malloc'd. */
static bool format_frame(struct show_stack *s, const struct line *line,
                         size_t width, char **name, char **location)
{
    const struct mpdata_frame *frame = &s->of.view.frames[line->frame];

    *location = show_frame_location(&s->of, frame, line->has_column);
    *name = show_frame_name(&s->of, frame, width);
    if (*name != NULL)
        mpdata_controls_replace(*name, strlen(*name), '?');
    if (*location != NULL)
        mpdata_controls_replace(*location, strlen(*location), '?');
    s->of.failed |= *name == NULL || *location == NULL;
    return *name != NULL && *location != NULL;
}

static void print_frame(FILE *out, struct show_stack *s,
                        const struct line *line, size_t width)
{
    const struct show_style *style = &s->of.options->style;
    const struct mpdata_frame *frame = &s->of.view.frames[line->frame];
    const bool is_inline = (frame->flags & MPROF_ENTRY_FL_INLINE) != 0;
    const bool is_dim = frame->function == 0 || is_library(s, line->frame);
    char *name;
    char *location;

    if (format_frame(s, line, width, &name, &location)) {
        const size_t columns = mpdata_names_columns(name);

        fprintf(out, PAGE_INDENT "%s%s%s", is_dim ? style->dim : "", name,
                is_dim ? style->reset : "");
        if (location[0] != '\0' || is_inline)
            fprintf(out, "%*s%s%s%s%s",
                    (int)(width - mprof_min_u64(columns, width)) + 2, "",
                    style->dim, location,
                    is_inline ? location[0] != '\0' ? "  inlined" : "inlined"
                              : "",
                    style->reset);
        fputc('\n', out);
    }
    free(name);
    free(location);
}

struct mpdata_number show_stack_fold(uint32_t frames, enum show_frame_kind kind)
{
    return mpdata_units_format(
        "%" PRIu32 " %s %s", frames, mpdata_units_plural("frame", frames).text,
        kind == SHOW_FRAME_START ? "of start-up" : "inside the C++ library");
}

static void print_fold(FILE *out, const struct show_stack *s,
                       const struct line *line)
{
    const struct show_style *style = &s->of.options->style;

    if (line->kind == LINE_DEEP)
        fprintf(out,
                PAGE_INDENT "%s[%" PRIu32 " %s more; --full-stacks shows them]",
                style->dim, line->count,
                mpdata_units_plural("frame", line->count).text);
    else
        fprintf(out, PAGE_INDENT "%s[%s]", style->dim,
                show_stack_fold(line->count, line->kind == LINE_START
                                                 ? SHOW_FRAME_START
                                                 : SHOW_FRAME_LIBRARY)
                    .text);
    fprintf(out, "%s\n", style->reset);
}

/* Returns the widest column for names that leaves room for the locations. */
static size_t choose_width(struct show_stack *s, uint32_t lines)
{
    const size_t whole = s->of.options->width - strlen(PAGE_INDENT);
    size_t widest_name = 0;
    size_t widest_location = 0;

    for (uint32_t i = 0; i < lines; i++) {
        const struct mpdata_frame *frame;
        char *name;
        char *location;

        if (s->lines[i].kind != LINE_FRAME)
            continue;
        frame = &s->of.view.frames[s->lines[i].frame];
        if (format_frame(s, &s->lines[i], NAME_WIDTH_MAX, &name, &location)) {
            const bool is_inline = (frame->flags & MPROF_ENTRY_FL_INLINE) != 0;

            widest_name =
                mprof_max_u64(widest_name, mpdata_names_columns(name));
            widest_location =
                mprof_max_u64(widest_location, mpdata_names_columns(location) +
                                                   (is_inline ? 9 : 0) + 2);
        }
        free(name);
        free(location);
    }
    if (s->of.options->full_stacks)
        return mprof_min_u64(widest_name, NAME_WIDTH_MAX);
    if (widest_name + widest_location > whole)
        widest_name = whole > widest_location ? whole - widest_location : 0;
    return mprof_max_u64(mprof_min_u64(widest_name, NAME_WIDTH_MAX),
                         NAME_WIDTH_MIN);
}

void show_stack_print(FILE *out, struct show_stack *s, mpdata_ref node,
                      uint32_t row)
{
    if (node == 0) {
        fprintf(out, PAGE_INDENT "%s[no call stack]%s\n",
                s->of.options->style.dim, s->of.options->style.reset);
        return;
    }
    uint32_t lines = choose_lines(s, collect_frames(s, node));
    show_columns(s, row, lines);
    size_t width = choose_width(s, lines);
    for (uint32_t i = 0; i < lines; i++) {
        if (s->lines[i].kind == LINE_FRAME)
            print_frame(out, s, &s->lines[i], width);
        else
            print_fold(out, s, &s->lines[i]);
    }
}
