/* index_read.h -- reads an indexed file: the call stacks of one of ours through
 * the sections that it adds (sections.h), of any other as LLVM's
 * (llvm_read.h); what stands beside them from LLVM's part.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_READ_H
#define MPDATA_INDEX_READ_H

#include "profdata/index/index_file.h"
#include "profdata/model/content.h"

/* Adds the file to *into. All of it is validated before *into is touched, so a
 * file that is refused leaves it as it was. Nothing of its bytes is kept. diag
 * may be NULL. Errors: all of a reader's; MIXED for counters that do not fit
 * those of *into; NO_MEMPROF for an LLVM profile that has neither call stacks
 * nor counters. */
MPROF_NODISCARD enum mprof_err
mpdata_index_read(const struct mpdata_index_file *file,
                  struct mpdata_content *into, struct mprof_diag *diag);

/* The same of the call stacks alone; the rest is not looked at. */
MPROF_NODISCARD enum mprof_err
mpdata_index_read_profile(const struct mpdata_index_file *file,
                          struct mpdata_profile *into, struct mprof_diag *diag);

#endif
