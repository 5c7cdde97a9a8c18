/* index_file.h -- opens an indexed file: tells ours from LLVM's, verifies
 * LLVM's part and finds our sections. All readers of such files start here.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/container.h"

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
