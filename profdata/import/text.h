/* text.h -- the lines of another tool's text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/str.h"

/* The rest of a text or of a line; borrowed, not NUL-terminated. */
struct mpdata_text {
    const char *at;
    const char *end;
};

/* Removes the next line from the text and sets *line to it, without the
 * newline. Returns false at the end of the text. */
bool mpdata_text_line(struct mpdata_text *text, struct mpdata_text *line);

/* Is it the last line of the text, without a newline? */
static inline bool mpdata_text_is_cut(const struct mpdata_text *text,
                                      const struct mpdata_text *line)
{
    return line->end == text->end;
}

/* -- words of a line --------------------------------------------------------- */

/* Skips blanks. */
void mpdata_text_skip(struct mpdata_text *line);
/* Skips blanks, then the word if it follows. Returns whether it did. */
bool mpdata_text_take(struct mpdata_text *line, const char *word);
/* Skips blanks, then parses a number. Returns false if there is none or it is
 * too large. */
bool mpdata_text_number(struct mpdata_text *line, unsigned base,
                        uint64_t *number);
/* Does the rest of the line consist of blanks? */
bool mpdata_text_is_empty(struct mpdata_text *line);
/* Removes the text before the first byte in `ends` from the line and returns
 * it. */
struct mpdata_str mpdata_text_until(struct mpdata_text *line, const char *ends);
