/* index_ext_write.h -- our sections of an indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_EXT_WRITE_H
#define MPDATA_INDEX_EXT_WRITE_H

#include "profdata/index/index_write.h"

/* Appends our sections, the directory and the trailer to *out, which holds
 * LLVM's part. Errors as mpdata_index_write(). */
MPROF_NODISCARD enum mprof_err
mpdata_sections_write(const struct mpdata_profile *canonical,
                      const struct mpdata_index_options *options,
                      struct mprof_buf *out);

#endif
