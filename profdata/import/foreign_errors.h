/* foreign_errors.h -- records the first error in another tool's profile; the
 * reader stops there.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "shared/err.h"

struct mpdata_foreign_errors {
    const char *data;    /* the file; borrowed */
    const char *section; /* name of the file's part in messages */
    struct mprof_diag *diag;
    enum mprof_err err;
    bool has_lines; /* the file is text, so messages contain the line */
};

/* Record an error at a position in the file, or NULL; _say() adds a message.
 * _add() ignores MPROF_E_OK. */
void mpdata_foreign_errors_add(struct mpdata_foreign_errors *errors,
                               enum mprof_err err, const void *at);
void mpdata_foreign_errors_say(struct mpdata_foreign_errors *errors,
                               enum mprof_err err, const void *at,
                               const char *format, ...) MPROF_PRINTF(4, 5);
void mpdata_foreign_errors_no_memory(struct mpdata_foreign_errors *errors);

/* Message for a second profile in the same file. */
#define MPDATA_FOREIGN_ERRORS_SECOND \
    "a second profile begins here; split the file"
/* Message for a last line without a newline. */
#define MPDATA_FOREIGN_ERRORS_CUT \
    "this line is truncated; without it the file can be read"

/* Does mpdata_vec_push(); records NOMEM if that fails. */
void *mpdata_foreign_errors_push(struct mpdata_foreign_errors *errors,
                                 struct mpdata_vec *vec);
