/* symcache.h -- the user's cache of symbols, $XDG_CACHE_HOME/memprof/symbols or
 * ~/.cache/memprof/symbols: one file with a record for each binary. It may be
 * deleted at any time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/symbols/symbols.h"

/* First bytes of the file; changes with its layout. On disk 8e 6d 70 73 79 6d
 * 32 0a. */
#define MPDATA_SYMCACHE_MAGIC UINT64_C(0x0a326d7973706d8e)
/* Size limit; the most recently used records are kept. */
#define MPDATA_SYMCACHE_BYTES_MAX (UINT64_C(64) << 20)

/* A record. `key` identifies what the symbols were made from. */
struct mpdata_symcache_entry {
    uint64_t key;
    const struct mpdata_symbols *symbols;
};

/* Returns the path of the file, malloc'd. NULL if neither XDG_CACHE_HOME nor
 * HOME is an absolute path, or when out of memory. */
char *mpdata_symcache_path(void);

/* Reads the record with this key from the file at `path`. Returns false, with
 * empty symbols, if there is none, it is damaged, or a split DWARF file has
 * changed. */
bool mpdata_symcache_load(const char *path, uint64_t key,
                          struct mpdata_symbols *symbols);

/* Like mpdata_symcache_load(), from the bytes of a file, for fuzzing. With
 * `verify` false it ignores the record's checksum and changes of split DWARF
 * files. */
bool mpdata_symcache_find(const uint8_t *data, size_t size, uint64_t key,
                          bool verify, struct mpdata_symbols *symbols);

/* Writes the entries, then the other records of the old file. Replaces the file
 * atomically; if two programs save at once, one of them may lose. Failures are
 * silent, since they only cost the next run time. */
void mpdata_symcache_save(const char *path,
                          const struct mpdata_symcache_entry *entries,
                          size_t count);
