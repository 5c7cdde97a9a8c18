/* index_read.h -- reads an indexed file: the call stacks of our files from our
 * sections (sections.h), those of other files from LLVM's part (llvm_read.h),
 * and PGO counters from LLVM's part.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_READ_H
#define MPDATA_INDEX_READ_H

#include "profdata/index/index_file.h"
#include "profdata/model/content.h"

/* Adds the file to *into. Validates everything first, so *into is unchanged on
 * failure. Keeps no pointer to the file's bytes. diag may be NULL. Errors: a
 * reader's; UNSUPPORTED if counters do not fit (mpdata_content_fits());
 * NO_MEMPROF for an LLVM profile with neither call stacks nor counters. */
MPROF_NODISCARD enum mprof_err
mpdata_index_read(const struct mpdata_index_file *file,
                  struct mpdata_content *into, struct mprof_diag *diag);

/* Reads only the call stacks. */
MPROF_NODISCARD enum mprof_err
mpdata_index_read_profile(const struct mpdata_index_file *file,
                          struct mpdata_profile *into, struct mprof_diag *diag);

#endif
