/* err.h -- errors as values. A function that can fail returns enum mprof_err
 * and describes the failure in a struct mprof_diag of the caller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

enum mprof_err {
#define MPROF_ERR(number, name, exit, text) MPROF_E_##name = (number),
#include "shared/err.inc"
#undef MPROF_ERR
};

#define MPROF_DIAG_NO_OFFSET UINT64_MAX
#define MPROF_DIAG_TEXT_BYTES 256

/* What went wrong and where. May be copied. The pointers are borrowed: the
 * function that opened the file owns `file`, and `section` is a literal. */
struct mprof_diag {
    enum mprof_err err;
    const char *file;    /* NULL if no file is concerned */
    const char *section; /* NULL if no section is concerned */
    uint64_t offset;     /* bytes from the start of the file, or NO_OFFSET */
    /* A more specific text than mprof_err_text(), or "". NUL-terminated. */
    char text[MPROF_DIAG_TEXT_BYTES];
};

/* One sentence without a full stop; never NULL. */
const char *mprof_err_text(enum mprof_err err);

/* Exit status of a command that ends with this error. */
int mprof_err_exit(enum mprof_err err);

/* Returns err, so that a reader can write `return mprof_err_fail(...)`. Fills
 * *diag if diag is not NULL; `file` and `text` stay empty. */
enum mprof_err mprof_err_fail(struct mprof_diag *diag, enum mprof_err err,
                              const char *section, uint64_t offset);

/* Like mprof_err_fail(), for an error without a place in a file. Does nothing
 * for MPROF_E_OK. */
enum mprof_err mprof_err_plain(struct mprof_diag *diag, enum mprof_err err);
