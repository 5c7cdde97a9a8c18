/* foreign_text.c -- splits text into lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/foreign_text.h"

#include <string.h>

bool mpdata_foreign_text_line(struct mpdata_foreign_text *text,
                              struct mpdata_foreign_text *line)
{
    const char *end;

    if (text->at == text->end)
        return false;
    end = (const char *)memchr(text->at, '\n', (size_t)(text->end - text->at));
    *line =
        (struct mpdata_foreign_text){text->at, end != NULL ? end : text->end};
    text->at = end != NULL ? end + 1 : text->end;
    return true;
}
