/* text.c -- splits text into lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/text.h"
#include "shared/digit.h"

#include <string.h>

bool mpdata_text_line(struct mpdata_text *text, struct mpdata_text *line)
{
    const char *end;

    if (text->at == text->end)
        return false;
    end = memchr(text->at, '\n', (size_t)(text->end - text->at));
    *line = (struct mpdata_text){text->at, end != NULL ? end : text->end};
    text->at = end != NULL ? end + 1 : text->end;
    return true;
}

void mpdata_text_skip(struct mpdata_text *line)
{
    while (line->at != line->end && (*line->at == ' ' || *line->at == '\t'))
        line->at++;
}

bool mpdata_text_take(struct mpdata_text *line, const char *word)
{
    const size_t size = strlen(word);

    mpdata_text_skip(line);
    if ((size_t)(line->end - line->at) < size ||
        memcmp(line->at, word, size) != 0)
        return false;
    line->at += size;
    return true;
}

bool mpdata_text_number(struct mpdata_text *line, unsigned base,
                        uint64_t *number)
{
    mpdata_text_skip(line);
    const char *start = line->at;
    *number = 0;
    while (line->at != line->end && mprof_digit(*line->at) < base) {
        if (*number > (UINT64_MAX - 15) / base)
            return false;
        *number = *number * base + mprof_digit(*line->at++);
    }
    return line->at != start;
}

bool mpdata_text_is_empty(struct mpdata_text *line)
{
    mpdata_text_skip(line);
    return line->at == line->end || *line->at == '\r';
}

struct mpdata_str mpdata_text_until(struct mpdata_text *line, const char *ends)
{
    struct mpdata_str text = {line->at, 0};

    while (line->at != line->end && strchr(ends, *line->at) == NULL)
        line->at++;
    text.size = (size_t)(line->at - text.bytes);
    return text;
}
