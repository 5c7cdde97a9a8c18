/* index_llvm_read.h -- LLVM's indexed profile, into a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_LLVM_READ_H
#define MPDATA_INDEX_LLVM_READ_H

#include "profdata/index_read.h"

/* mpdata_index_read() for a file that is LLVM's alone: memprof sections of
 * versions 2, 3 and 4. Functions have no names there, only GUIDs; the run's
 * kind is MPROF_RUN_INDEXED and its id a hash of the file. Call sites are not
 * read: they follow from the contexts. */
MPROF_NODISCARD enum mprof_err
mpdata_index_llvm_read(const void *data, size_t size,
                       struct mpdata_profile *into, struct mprof_diag *diag);

#endif
