/* index.h -- reads and writes an indexed file. The call stacks of our files are
 * read from our sections (sections.h), those of other files from LLVM's part
 * (llvm_read.h), and PGO counters from LLVM's part. A file is written as LLVM's
 * part (llvm_write.c), then our sections (sections_write.c), the directory and
 * the trailer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/index/index_file.h"
#include "profdata/model/content.h"
#include "profdata/model/index_options.h"

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
