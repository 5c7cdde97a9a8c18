/* sections_write.h -- our sections of an indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SECTIONS_WRITE_H
#define MPDATA_SECTIONS_WRITE_H

#include "profdata/model/profile.h"
#include "shared/buf.h"

/* Appends our sections, by zstd where that pays if may_compress, the directory
 * and the trailer to *out, which holds LLVM's part. Errors: NOMEM, LIMIT,
 * FRAMES. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_write(const struct mpdata_profile *canonical, bool may_compress,
                      struct mprof_buf *out);

#endif
