/* index_write.h -- writes a profile as an indexed file: LLVM's part
 * (llvm_write.c), our sections after it (sections_write.c), and the
 * directory and trailer that make ours found.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_WRITE_H
#define MPDATA_INDEX_WRITE_H

#include "profdata/model/content.h"
#include "profdata/model/index_options.h"
#include "shared/buf.h"

/* Appends the file to *out, which must be empty; its grow function is the
 * caller's (mpdata_heapbuf_init() of heapbuf.h serves). `canonical` is in
 * order (mpdata_profile_canonical_in_place()). options may be NULL: the
 * defaults. Equal content and options give equal bytes. Errors: NOMEM, LIMIT,
 * FRAMES, UNSUPPORTED, and the status of the profile; the contents of *out are
 * then undefined. */
MPROF_NODISCARD enum mprof_err
mpdata_index_write(const struct mpdata_content *canonical,
                   const struct mpdata_index_options *options,
                   struct mprof_buf *out);

#endif
