/* lines.h -- lists that users write: one entry a line.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "shared/err.h"

/* Takes a line, which it may change; VALUE if it is invalid. */
typedef enum mprof_err mpdata_lines_fn(void *context, char *line,
                                       uint32_t number);

/* Do the first bytes have a NUL, so that this is no list? */
bool mpdata_lines_is_binary(const uint8_t *data, size_t size);

/* Copies the text to *copy, which the caller frees even after a failure, and
 * calls `take` for each line, without blanks at both ends; numbers count from
 * 1. Skips empty lines and lines that begin with #. Stops at the first error:
 * NOMEM, or one of `take`, or VALUE for a NUL, which would hide the rest of the
 * line. *bad_line is the number of the line of the error. */
MPROF_NODISCARD enum mprof_err mpdata_lines_read(const char *text, size_t size,
                                                 mpdata_lines_fn *take,
                                                 void *context, char **copy,
                                                 uint32_t *bad_line);

/* Such a list in memory; each kind of list has rows of its own. */
struct mpdata_list {
    char *text; /* holds the strings of the rows */
    size_t text_bytes;
    struct mpdata_vec rows;
    uint32_t bad_line; /* from 1, after VALUE */
};

/* Reads a list with rows of row_bytes each; the context of `take` is the list.
 * fini is due even after a failure, and accepts a zeroed list. */
MPROF_NODISCARD enum mprof_err
mpdata_lines_read_list(struct mpdata_list *list, uint32_t row_bytes,
                       const char *text, size_t size, mpdata_lines_fn *take);
void mpdata_lines_fini(struct mpdata_list *list);
