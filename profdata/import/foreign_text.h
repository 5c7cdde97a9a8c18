/* foreign_text.h -- the lines of a text that another tool wrote.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FOREIGN_TEXT_H
#define MPDATA_FOREIGN_TEXT_H

#include "shared/base.h"

/* What is left of a text, or of a line; borrowed, not NUL-terminated. */
struct mpdata_foreign_text {
    const char *at;
    const char *end;
};

/* Takes the next line off the text, without its end; false where there is none.
 */
bool mpdata_foreign_text_line(struct mpdata_foreign_text *text,
                              struct mpdata_foreign_text *line);

/* Is it the last line of the text, and has no end? */
static inline bool
mpdata_foreign_text_is_cut(const struct mpdata_foreign_text *text,
                           const struct mpdata_foreign_text *line)
{
    return line->end == text->end;
}

#endif
