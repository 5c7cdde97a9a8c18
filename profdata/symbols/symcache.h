/* symcache.h -- symbols of a binary on disk (shared/symcache_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMCACHE_H
#define MPDATA_SYMCACHE_H

#include "profdata/symbols/symbols.h"

/* The file for a build id, malloc'd; NULL where there is no place for one
 * (neither XDG_CACHE_HOME nor HOME, no build id, no memory). */
char *mpdata_symcache_path(const char *build_id, size_t size);

/* Decodes the file at `path` (symcache_decode.h), and takes a look at the files
 * of split DWARF: false where the symbols have to be found again. Both are
 * empty then. */
bool mpdata_symcache_load(const char *path, uint64_t key,
                          struct mpdata_symbols *symbols,
                          struct mpdata_vec *splits);

/* Writes the file, which appears whole or not at all. That it cannot be written
 * costs the next run time, so nobody is told. */
void mpdata_symcache_save(const char *path, uint64_t key,
                          const struct mpdata_symbols *symbols,
                          const struct mpdata_vec *splits);

#endif
