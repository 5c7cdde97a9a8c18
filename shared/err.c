/* err.c -- texts and exit codes of errors, from err.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/err.h"

const char *mprof_err_text(enum mprof_err err)
{
    switch (err) {
#define MPROF_ERR(number, name, exit, text) \
    case MPROF_E_##name:                    \
        return text;
#include "shared/err.inc"
#undef MPROF_ERR
    }
    return "unknown error";
}

int mprof_err_exit(enum mprof_err err)
{
    switch (err) {
#define MPROF_ERR(number, name, exit, text) \
    case MPROF_E_##name:                    \
        return exit;
#include "shared/err.inc"
#undef MPROF_ERR
    }
    return 1;
}

enum mprof_err mprof_err_fail(struct mprof_diag *diag, enum mprof_err err,
                              const char *section, uint64_t offset)
{
    if (diag != NULL) {
        diag->err = err;
        diag->file = NULL;
        diag->section = section;
        diag->offset = offset;
        diag->text[0] = '\0';
    }
    return err;
}

enum mprof_err mprof_err_plain(struct mprof_diag *diag, enum mprof_err err)
{
    return err == MPROF_E_OK
               ? err
               : mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}
