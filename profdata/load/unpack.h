/* unpack.h -- inputs that were compressed as a whole, with zstd or gzip.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_UNPACK_H
#define MPDATA_UNPACK_H

#include "profdata/base/file.h"

/* Replaces the bytes of a compressed file by what they stand for; any other
 * file stays as it is. The memory that it takes is bounded by what the
 * compression can make of so many bytes. Errors: CODEC, TRUNCATED, NOMEM, after
 * which the file is as it was. diag may be NULL. */
MPROF_NODISCARD enum mprof_err mpdata_unpack(struct mpdata_file *file,
                                             struct mprof_diag *diag);

/* An input that may be a profile, compressed or not. */
bool mpdata_unpack_is_rejectable(const uint8_t *data, size_t size);

#endif
