/* symcache_encode.h -- symbols as they lie on disk.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMCACHE_ENCODE_H
#define MPDATA_SYMCACHE_ENCODE_H

#include "profdata/symbols/symbols.h"
#include "shared/buf.h"

/* Appends the symbols, in the order of their addresses, and what they depend
 * on (symcache_splits.h). Errors: NOMEM, LIMIT. */
MPROF_NODISCARD enum mprof_err
mpdata_symcache_encode(const struct mpdata_symbols *symbols, uint64_t key,
                       const struct mpdata_vec *splits, struct mprof_buf *out);

#endif
