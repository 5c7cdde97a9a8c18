/* foreign_errors.c -- records the first error of a reader.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/foreign_stack.h"
#include "profdata/base/diag.h"

#include <stdarg.h>
#include <stdio.h>

/* Returns the line number of a position, from 1. */
static size_t count_lines(const struct mpdata_foreign_errors *e, const char *at)
{
    size_t line = 1;

    for (const char *c = e->data; c != at; c++)
        line += *c == '\n';
    return line;
}

static void note(struct mpdata_foreign_errors *e, enum mprof_err err,
                 const char *at, const char *what)
{
    if (at == NULL)
        e->err = mpdata_diag_fail(e->diag, err, e->section,
                                  MPROF_DIAG_NO_OFFSET, "%s", what);
    else if (!e->has_lines)
        e->err = mpdata_diag_fail(e->diag, err, e->section,
                                  (uint64_t)(at - e->data), "%s", what);
    else
        e->err = mpdata_diag_fail(
            e->diag, err, e->section, (uint64_t)(at - e->data), "line %zu%s%s",
            count_lines(e, at), *what != '\0' ? ": " : "", what);
}

void mpdata_foreign_errors_add(struct mpdata_foreign_errors *e,
                               enum mprof_err err, const void *at)
{
    if (e->err == MPROF_E_OK && err != MPROF_E_OK)
        note(e, err, (const char *)at, "");
}

void mpdata_foreign_errors_say(struct mpdata_foreign_errors *e,
                               enum mprof_err err, const void *at,
                               const char *format, ...)
{
    char what[MPROF_DIAG_TEXT_BYTES];
    va_list args;

    if (e->err != MPROF_E_OK)
        return;
    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    note(e, err, (const char *)at, what);
}

void mpdata_foreign_errors_no_memory(struct mpdata_foreign_errors *e)
{
    if (e->err == MPROF_E_OK)
        e->err = mprof_err_plain(e->diag, MPROF_E_NOMEM);
}

void *mpdata_foreign_errors_push(struct mpdata_foreign_errors *e,
                                 struct mpdata_vec *vec)
{
    void *const row = mpdata_vec_push(vec);

    if (row == NULL)
        mpdata_foreign_errors_no_memory(e);
    return row;
}
