/* index.h -- reads and writes an indexed file. The call stacks of our files are
 * read from our sections (sections.h), those of other files from LLVM's part
 * (llvm.h), and PGO counters from LLVM's part. A file is written as LLVM's
 * part (llvm_write.c), then our sections (sections_write.c), the directory and
 * the trailer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/content.h"
#include "profdata/model/index_options.h"
#include "shared/container.h"

/* index_file.c -- opens an indexed file: tells ours from LLVM's, verifies
 * LLVM's part and finds our sections. All readers of such files start here. */

struct mpdata_index_file {
    const uint8_t *data; /* borrowed */
    size_t size;
    size_t llvm_bytes;     /* of LLVM's part, at the start of the file */
    bool verify_checksums; /* of sections, when they are opened */
    bool is_ours;          /* has our sections after LLVM's part */
    struct mprof_dir dir;  /* empty if not is_ours */
};

/* Do the first bytes belong to an indexed profile, LLVM's or ours? Errors:
 * EMPTY, MAGIC. */
MPROF_NODISCARD enum mprof_err
mpdata_index_file_is(const void *data, size_t size, struct mprof_diag *diag);

/* Reads and verifies the directory, and the checksum of LLVM's part, because a
 * damaged one must not be copied into another file. Of LLVM's part only the
 * header is parsed. verify_checksums is false only in fuzzing and when the user
 * asks for it, so that damage reaches the code behind the checksums. Errors:
 * EMPTY, MAGIC, TRUNCATED, MISSING, CHECKSUM, those of mprof_dir_read(). */
MPROF_NODISCARD enum mprof_err
mpdata_index_file_open(struct mpdata_index_file *file, const void *data,
                       size_t size, bool verify_checksums,
                       struct mprof_diag *diag);

/* index.c */

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
