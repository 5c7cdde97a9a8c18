/* symcache.h -- symbols of a binary on disk (shared/symcache_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMCACHE_H
#define MPDATA_SYMCACHE_H

#include "profdata/symbols/symbols.h"
#include "shared/buf.h"
#include "shared/err.h"

/* A file of split DWARF that the symbols depend on. */
struct mpdata_symcache_split {
    char *path; /* owned */
    uint64_t stamp;
};

/* Rows of struct mpdata_symcache_split. */
void mpdata_symcache_splits_fini(struct mpdata_vec *splits);
/* Adds a path with its stamp of now, unless it is there; false without memory.
 */
bool mpdata_symcache_split_add(struct mpdata_vec *splits, const char *path);

/* The file for a build id, malloc'd; NULL where there is no place for one
 * (neither XDG_CACHE_HOME nor HOME, no build id, no memory). */
char *mpdata_symcache_path(const char *build_id, size_t size);

/* Encodes symbols; sorts their places. Errors: NOMEM, LIMIT. */
MPROF_NODISCARD enum mprof_err
mpdata_symcache_encode(const struct mpdata_symbols *symbols, uint64_t key,
                       const struct mpdata_vec *splits, struct mprof_buf *out);

/* Decodes data[0..size) into initialised, empty symbols and splits. VALUE where
 * it has another key; what else is wrong with it as in all readers. On failure
 * both are to be freed. */
MPROF_NODISCARD enum mprof_err
mpdata_symcache_decode(const uint8_t *data, size_t size, uint64_t key,
                       bool verify_checksums, struct mpdata_symbols *symbols,
                       struct mpdata_vec *splits, struct mprof_diag *diag);

/* decode() of the file at `path`, and a look at the files of split DWARF: false
 * where the symbols have to be found again. Both are empty then. */
bool mpdata_symcache_load(const char *path, uint64_t key,
                          struct mpdata_symbols *symbols,
                          struct mpdata_vec *splits);

/* Writes the file, which appears whole or not at all. That it cannot be written
 * costs the next run time, so nobody is told. */
void mpdata_symcache_save(const char *path, uint64_t key,
                          const struct mpdata_symbols *symbols,
                          const struct mpdata_vec *splits);

#endif
