/* lines.c -- reads lists that users write.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/lines.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r"

static char *cut_blanks(char *line, char *end)
{
    line += strspn(line, BLANKS);
    while (end > line && strchr(BLANKS, end[-1]) != NULL)
        end--;
    *end = '\0';
    return line;
}

bool mpdata_lines_is_binary(const uint8_t *data, size_t size)
{
    return memchr(data, '\0', size) != NULL;
}

enum mprof_err mpdata_lines_read(const char *text, size_t size,
                                 mpdata_lines_fn *take, void *context,
                                 char **copy, uint32_t *bad_line)
{
    char *const all = malloc(size + 1);
    enum mprof_err err = all != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
    uint32_t number = 0;

    *copy = all;
    *bad_line = 0;
    if (all != NULL && size != 0)
        memcpy(all, text, size);
    for (size_t at = 0; err == MPROF_E_OK && at < size;) {
        char *line = all + at;
        char *const stop = memchr(line, '\n', size - at);
        char *const end = stop != NULL ? stop : all + size;

        at = (size_t)(end - all) + 1;
        *bad_line = ++number;
        *end = '\0';
        if (memchr(line, '\0', (size_t)(end - line)) != NULL)
            return MPROF_E_VALUE;
        line = cut_blanks(line, end);
        if (line[0] != '\0' && line[0] != '#')
            err = take(context, line, number);
    }
    return err;
}

enum mprof_err mpdata_lines_read_list(struct mpdata_list *list,
                                      uint32_t row_bytes, const char *text,
                                      size_t size, mpdata_lines_fn *take)
{
    *list = (struct mpdata_list){.text_bytes = size,
                                 .rows = {.elem_bytes = row_bytes}};
    return mpdata_lines_read(text, size, take, list, &list->text,
                             &list->bad_line);
}

void mpdata_lines_fini(struct mpdata_list *list)
{
    mpdata_vec_fini(&list->rows);
    free(list->text);
    list->text = NULL;
}
