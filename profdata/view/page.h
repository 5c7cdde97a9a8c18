/* page.h -- parts of pages that several text views have.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/units.h"
#include "profdata/view/show.h"

/* Begins the lines below a row: its details and the frames of call stacks. */
#define PAGE_INDENT "     "

/* Prints text with "?" for each control character (profdata/base/str.h),
 * which a terminal could interpret. */
void page_plain(FILE *out, const char *text);

/* Prints a name and a newline, after `before` columns of the line. Returns
 * false when out of memory. */
bool page_name(FILE *out, const struct show_options *options, const char *name,
               size_t before);
/* Returns the room for a frame's group after `before` columns of a line. */
size_t page_room(const struct show_options *options, size_t before);
/* Prints name and location of a frame's group and a newline. Records in `stack`
 * if it omits them when out of memory. */
void page_frame(FILE *out, struct show_stack *stack, uint32_t frame,
                enum mpdata_by by, size_t room);

/* Prints a title in a line of its own. */
void page_title(FILE *out, const struct show_style *style, const char *format,
                ...) MPROF_PRINTF(3, 4);
/* Prints the title of a table by options->by: "Files by bytes allocated". */
void page_table_title(FILE *out, const struct show_options *options);

/* Prints a value of options->sort and its share of `whole`, in columns. */
void page_value(FILE *out, const struct show_options *options, uint64_t value,
                uint64_t whole);
/* Width of two such values. */
#define PAGE_VALUES_WIDTH 40

/* Prints that the list has more rows than the first `shown`, if it has.
 * `thing`: what a row stands for, or NULL; `detail`: what else is known of the
 * others. */
void page_more(FILE *out, const struct show_style *style, uint64_t shown,
               uint64_t all, const char *thing, const char *detail, ...)
    MPROF_PRINTF(6, 7);

/* Chooses the width of bars on a line with `others` columns beside the bar. */
uint64_t page_bar_width(const struct show_options *options, uint64_t others);
/* Returns what one mark stands for, so that `most` fits in `width` marks. */
uint64_t page_bar_unit(uint64_t most, uint64_t width);
/* Prints a bar, a dot for a value below one mark. Returns its width. */
uint64_t page_bar(FILE *out, uint64_t value, uint64_t unit);

/* A line of pieces of text separated by commas, as many per line as fit. */
struct page_line {
    FILE *out;
    size_t indent;
    size_t width;
    size_t used; /* columns used in the line; 0: none */
};

void page_piece(struct page_line *line, const char *format, ...)
    MPROF_PRINTF(2, 3);

/* Buffers text and breaks lines that are wider than the terminal. */
struct page_wrap {
    FILE *out;
    char *text;
    size_t size;
};

/* Returns the file to write to; NULL when out of memory (do not call
 * page_wrap_finish() then). */
FILE *page_wrap_start(struct page_wrap *wrap);
/* Writes the text to `out` with lines broken at `width` columns. Continuation
 * lines are indented by `indent`; a line is not broken within its first
 * `indent` columns. Returns false, with nothing written, when out of memory. */
bool page_wrap_finish(struct page_wrap *wrap, FILE *out, size_t indent,
                      size_t width);

/* Prints lines about the limits of the measurement
 * (mpdata_notes_of_profile()). Returns false when out of memory. */
bool page_notes(FILE *out, const struct show_options *options,
                const char *lines);

/* Prints a line after `before` if allocation wrappers are hidden. */
void page_wrappers(FILE *out, const struct show_options *options,
                   const char *before);
