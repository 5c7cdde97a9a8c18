/* symcache_decode.h -- symbols read from disk.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMCACHE_DECODE_H
#define MPDATA_SYMCACHE_DECODE_H

#include "profdata/symbols/symbols.h"
#include "shared/cursor.h"

/* Decodes data[0..size) into initialised, empty symbols and splits
 * (symcache_splits.h). VALUE where it has another key; what else is wrong with
 * it as in all readers. On failure both are to be freed. */
MPROF_NODISCARD enum mprof_err
mpdata_symcache_decode(const uint8_t *data, size_t size, uint64_t key,
                       bool verify_checksums, struct mpdata_symbols *symbols,
                       struct mpdata_vec *splits, struct mprof_diag *diag);

#endif
