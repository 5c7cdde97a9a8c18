/* index_file.h -- an indexed file, opened once: whose it is, that LLVM's part
 * is sound, and where our sections are. All that reads such a file starts here.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_FILE_H
#define MPDATA_INDEX_FILE_H

#include "shared/container.h"

struct mpdata_index_file {
    const uint8_t *data; /* borrowed */
    size_t size;
    size_t llvm_bytes;     /* of LLVM's part, at the start of the file */
    bool verify_checksums; /* of sections, when they are opened */
    bool is_ours;          /* there is more than LLVM's part: */
    struct mprof_dir dir;  /* empty where not */
};

/* OK where the first bytes are those of an indexed profile, LLVM's or ours.
 * Errors: EMPTY, MAGIC. */
MPROF_NODISCARD enum mprof_err
mpdata_index_file_is(const void *data, size_t size, struct mprof_diag *diag);

/* Reads the directory, and verifies it and LLVM's part, which must not go on
 * into another file damaged. verify_checksums is true but in fuzzing and where
 * the user says so, so that damage reaches what lies behind the checksums.
 * Nothing of LLVM's part is looked at but its first bytes. Errors: EMPTY,
 * MAGIC, TRUNCATED, MISSING, CHECKSUM, those of mprof_dir_read(). */
MPROF_NODISCARD enum mprof_err
mpdata_index_file_open(struct mpdata_index_file *file, const void *data,
                       size_t size, bool verify_checksums,
                       struct mprof_diag *diag);

#endif
