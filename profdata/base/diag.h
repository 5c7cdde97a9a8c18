/* diag.h -- errors with a text of their own: what mprof_err_text() cannot know.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DIAG_H
#define MPDATA_DIAG_H

#include "shared/err.h"

/* mprof_err_fail() with a text after the standard one. Cut at its buffer's
 * size. */
enum mprof_err mpdata_diag_fail(struct mprof_diag *diag, enum mprof_err err,
                                const char *section, uint64_t offset,
                                const char *format, ...) MPROF_PRINTF(5, 6);

/* The whole sentence: "FILE: SECTION at 0xOFFSET: what[: more]", without what
 * is not known. Cut at `size`; returns out. */
const char *mpdata_diag_sentence(const struct mprof_diag *diag, char *out,
                                 size_t size);

/* A list of complaints that are not errors. The one who loads profiles gives
 * it; the command prints it. */
typedef void mpdata_warn_fn(void *context, const char *file, const char *text);

struct mpdata_diag_warn {
    mpdata_warn_fn *fn; /* NULL: nobody listens */
    void *context;
};

void mpdata_diag_warn(const struct mpdata_diag_warn *warn, const char *file,
                      const char *format, ...) MPROF_PRINTF(3, 4);

#endif
