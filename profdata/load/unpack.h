/* unpack.h -- decompresses inputs that were compressed as a whole with zstd or
 * gzip.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/file.h"

/* Replaces the bytes of a compressed file by the decompressed bytes; leaves any
 * other file unchanged. Bounds memory by the largest ratio that the compression
 * can reach. Errors: CODEC, TRUNCATED, NOMEM; the file is unchanged then. diag
 * may be NULL. */
MPROF_NODISCARD enum mprof_err mpdata_unpack(struct mpdata_file *file,
                                             struct mprof_diag *diag);

/* Could the bytes be a profile, compressed or not? */
bool mpdata_unpack_is_rejectable(const uint8_t *data, size_t size);
