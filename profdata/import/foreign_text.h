/* foreign_text.h -- the lines of another tool's text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FOREIGN_TEXT_H
#define MPDATA_FOREIGN_TEXT_H

#include "shared/base.h"

/* The rest of a text or of a line; borrowed, not NUL-terminated. */
struct mpdata_foreign_text {
    const char *at;
    const char *end;
};

/* Removes the next line from the text and sets *line to it, without the
 * newline. Returns false at the end of the text. */
bool mpdata_foreign_text_line(struct mpdata_foreign_text *text,
                              struct mpdata_foreign_text *line);

/* Is it the last line of the text, without a newline? */
static inline bool
mpdata_foreign_text_is_cut(const struct mpdata_foreign_text *text,
                           const struct mpdata_foreign_text *line)
{
    return line->end == text->end;
}

#endif
