/* foreign_errors.h -- where another tool's profile is wrong: the first error of
 * a reader, after which it reads nothing more.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FOREIGN_ERRORS_H
#define MPDATA_FOREIGN_ERRORS_H

#include "profdata/base/vec.h"
#include "shared/err.h"

struct mpdata_foreign_errors {
    const char *data;    /* the file; borrowed */
    const char *section; /* what messages call it */
    struct mprof_diag *diag;
    enum mprof_err err;
    bool has_lines; /* of text: messages say which */
};

/* At a place in the file, or NULL; _say() with what is wrong there. _add()
 * takes MPROF_E_OK for no error. */
void mpdata_foreign_errors_add(struct mpdata_foreign_errors *errors,
                               enum mprof_err err, const void *at);
void mpdata_foreign_errors_say(struct mpdata_foreign_errors *errors,
                               enum mprof_err err, const void *at,
                               const char *format, ...) MPROF_PRINTF(4, 5);
void mpdata_foreign_errors_no_memory(struct mpdata_foreign_errors *errors);

/* What is said where the next profile begins. */
#define MPDATA_FOREIGN_ERRORS_SECOND \
    "a second profile begins here; make a file of each"
/* ... and of a last line without an end. */
#define MPDATA_FOREIGN_ERRORS_CUT \
    "this line is cut; without it the file can be read"

/* mpdata_vec_push() that says so where it cannot. */
void *mpdata_foreign_errors_push(struct mpdata_foreign_errors *errors,
                                 struct mpdata_vec *vec);

#endif
