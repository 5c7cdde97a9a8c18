/* diag.h -- errors with more detail than mprof_err_text() can give.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/err.h"

/* mprof_err_fail() with a text after the standard one. The text is cut at the
 * size of diag->text. */
enum mprof_err mpdata_diag_fail(struct mprof_diag *diag, enum mprof_err err,
                                const char *section, uint64_t offset,
                                const char *format, ...) MPROF_PRINTF(5, 6);
/* The same for an error without a place in a file. */
enum mprof_err mpdata_diag_text(struct mprof_diag *diag, enum mprof_err err,
                                const char *format, ...) MPROF_PRINTF(3, 4);

/* Writes the whole sentence: "FILE: SECTION at 0xOFFSET: what[: more]", without
 * the parts that are unknown. Cuts it at `size`; returns out. */
const char *mpdata_diag_sentence(const struct mprof_diag *diag, char *out,
                                 size_t size);

/* Receives a warning. The caller of the loader provides the function. */
typedef void mpdata_warn_fn(void *context, const char *file, const char *text);

struct mpdata_diag_warn {
    mpdata_warn_fn *fn; /* NULL: warnings are dropped */
    void *context;
};

void mpdata_diag_warn(const struct mpdata_diag_warn *warn, const char *file,
                      const char *format, ...) MPROF_PRINTF(3, 4);
