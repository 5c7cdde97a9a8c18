/* diag.c -- errors and warnings as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/diag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define WARNING_BYTES 1024

static __attribute__((format(printf, 5, 0))) enum mprof_err
fail(struct mprof_diag *diag, enum mprof_err err, const char *section,
     uint64_t offset, const char *format, va_list args)
{
    mprof_err_fail(diag, err, section, offset);
    if (diag != NULL)
        vsnprintf(diag->text, sizeof(diag->text), format, args);
    return err;
}

enum mprof_err mpdata_diag_fail(struct mprof_diag *diag, enum mprof_err err,
                                const char *section, uint64_t offset,
                                const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail(diag, err, section, offset, format, args);
    va_end(args);
    return err;
}

enum mprof_err mpdata_diag_text(struct mprof_diag *diag, enum mprof_err err,
                                const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET, format, args);
    va_end(args);
    return err;
}

/* The system's error text replaces the less precise "input/output error". */
static const char *kind_text(const struct mprof_diag *diag)
{
    return diag->err == MPROF_E_IO && diag->text[0] != '\0'
               ? ""
               : mprof_err_text(diag->err);
}

const char *mpdata_diag_sentence(const struct mprof_diag *diag, char *out,
                                 size_t size)
{
    const bool has_offset = diag->offset != MPROF_DIAG_NO_OFFSET;
    const char *const section = diag->section;
    const char *const kind = kind_text(diag);
    const char *file = "";
    char at[32] = "";

    if (has_offset)
        snprintf(at, sizeof(at), "%sat 0x%" PRIx64 ": ",
                 section != NULL ? " " : "", diag->offset);
    else if (section != NULL)
        snprintf(at, sizeof(at), ": ");
    if (diag->file != NULL)
        file = diag->file[0] != '\0' ? diag->file : "''";
    snprintf(out, size, "%s%s%s%s%s%s%s", file, file[0] != '\0' ? ": " : "",
             section != NULL ? section : "", at, kind,
             kind[0] != '\0' && diag->text[0] != '\0' ? ": " : "", diag->text);
    return out;
}

void mpdata_diag_warn(const struct mpdata_diag_warn *warn, const char *file,
                      const char *format, ...)
{
    char text[WARNING_BYTES];
    va_list args;

    if (warn == NULL || warn->fn == NULL)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    warn->fn(warn->context, file, text);
}
