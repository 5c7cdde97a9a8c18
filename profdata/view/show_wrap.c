/* show_wrap.c -- breaks lines that are wider than the terminal.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/names.h"
#include "profdata/view/show.h"

#include <stdlib.h>
#include <string.h>

FILE *show_wrap_start(struct show_wrap *wrap)
{
    *wrap = (struct show_wrap){.text = NULL};
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
        size_t columns;

        *at = '\0';
        columns = mpdata_names_columns(line);
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

bool show_wrap_finish(struct show_wrap *wrap, FILE *out, size_t indent,
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
