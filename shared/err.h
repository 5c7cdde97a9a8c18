/* err.h -- errors as values. A function that can fail returns enum mprof_err;
 * where it failed goes into a struct mprof_diag that the caller gives.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_ERR_H
#define MPROF_ERR_H

#include "shared/base.h"

enum mprof_err {
#define MPROF_ERR(number, name, exit, text) MPROF_E_##name = (number),
#include "shared/err.inc"
#undef MPROF_ERR
};

#define MPROF_DIAG_NO_OFFSET UINT64_MAX
#define MPROF_DIAG_TEXT_BYTES 256

/* What went wrong and where. Plain data, may be copied; the pointers are
 * borrowed: `file` from who opened the file, `section` is a literal. */
struct mprof_diag {
    enum mprof_err err;
    const char *file;    /* NULL where no file is concerned */
    const char *section; /* NULL where no section is concerned */
    uint64_t offset;     /* bytes from the start of the file, or NO_OFFSET */
    /* More than mprof_err_text() says, or "". NUL-terminated. */
    char text[MPROF_DIAG_TEXT_BYTES];
};

/* One sentence without a full stop; never NULL. */
const char *mprof_err_text(enum mprof_err err);

/* Exit status of a command that ends with this error. */
int mprof_err_exit(enum mprof_err err);

/* Fills *diag (which may be NULL; `file` and `text` are kept empty) and returns
 * err, so that a reader can write `return mprof_err_fail(...)`. */
enum mprof_err mprof_err_fail(struct mprof_diag *diag, enum mprof_err err,
                              const char *section, uint64_t offset);

#endif
