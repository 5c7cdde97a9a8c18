/* show_index.h -- LLVM's text form of an indexed profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SHOW_INDEX_H
#define MPDATA_SHOW_INDEX_H

#include "shared/err.h"

#include <stdio.h>

/* The memory profile of the file data[0..size) as llvm-profdata 22 prints it:
 * record by record, in the order of the file. */
enum mprof_err llvm_index_print(FILE *out, const uint8_t *data, size_t size,
                                struct mprof_diag *diag);

/* The same without the comments before it, which readers do not need. */
enum mprof_err llvm_index_print_records(FILE *out, const uint8_t *data,
                                        size_t size);

#endif
