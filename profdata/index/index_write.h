/* index_write.h -- writes a profile as an indexed file: LLVM's part
 * (llvm_write.c), then our sections (sections_write.c), the directory and the
 * trailer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_WRITE_H
#define MPDATA_INDEX_WRITE_H

#include "profdata/model/content.h"
#include "profdata/model/index_options.h"
#include "shared/buf.h"

/* Appends the file to the empty *out, which may come from
 * mpdata_heapbuf_init(). `canonical` must be in canonical order
 * (mpdata_profile_canonical_in_place()). options may be NULL: the defaults.
 * Equal content and options give equal bytes. Errors: NOMEM, LIMIT, FRAMES,
 * UNSUPPORTED, and the status of the profile; the bytes of *out are then
 * undefined. */
MPROF_NODISCARD enum mprof_err
mpdata_index_write(const struct mpdata_content *canonical,
                   const struct mpdata_index_options *options,
                   struct mprof_buf *out);

#endif
