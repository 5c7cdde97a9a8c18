/* symcache.h -- the user's cache of symbols: one file with a record for each
 * binary, $XDG_CACHE_HOME/memprof/symbols or ~/.cache/memprof/symbols. It may
 * be removed at any time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMCACHE_H
#define MPDATA_SYMCACHE_H

#include "profdata/symbols/symbols.h"

/* What the file begins with; raised when its layout changes. On disk
 * 8e 6d 70 73 79 6d 32 0a. */
#define MPDATA_SYMCACHE_MAGIC UINT64_C(0x0a326d7973706d8e)
/* The records used last are kept, up to so many bytes. */
#define MPDATA_SYMCACHE_BYTES_MAX (UINT64_C(64) << 20)

/* A record. `key` says what it was made from. */
struct mpdata_symcache_entry {
    uint64_t key;
    const struct mpdata_symbols *symbols;
};

/* Path of the file, malloc'd. NULL where there is no place for it: neither
 * XDG_CACHE_HOME nor HOME is an absolute path, or no memory. */
char *mpdata_symcache_path(void);

/* Reads the record with this key from the file at `path`. False where there is
 * none, it is damaged, or a file of split DWARF has changed: symbols are then
 * empty. */
bool mpdata_symcache_load(const char *path, uint64_t key,
                          struct mpdata_symbols *symbols);

/* The same from the bytes of a file, for fuzzing: without `verify` the record's
 * checksum and the files of split DWARF are not looked at. */
bool mpdata_symcache_find(const uint8_t *data, size_t size, uint64_t key,
                          bool verify, struct mpdata_symbols *symbols);

/* Puts the entries before the file's other records. The file appears whole or
 * not at all; of two programs that save at once one may win. A failure costs
 * the next run time, so nobody is told. */
void mpdata_symcache_save(const char *path,
                          const struct mpdata_symcache_entry *entries,
                          size_t count);

#endif
