/* index_llvm_write.h -- LLVM's part of an indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_LLVM_WRITE_H
#define MPDATA_INDEX_LLVM_WRITE_H

#include "profdata/index/index_write.h"

/* Writes the whole part to the empty *out. Errors as mpdata_index_write(). */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_write(const struct mpdata_profile *canonical,
                  const struct mpdata_index_options *options,
                  struct mprof_buf *out);

#endif
