/* symbolizer.h -- names for addresses: from the cache, from symbol tables and
 * from debug information. The process that reads files starts with the first
 * address that is not cached, so commands without names do not pay for it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/symbols/binaries.h"
#include "profdata/symbols/symbols.h"

#include <limits.h>

struct mpdata_symbolized_binary; /* symbolizer.c */

/* Zero-initialize; end with mpdata_symbolizer_fini(). */
struct mpdata_symbolizer {
    bool use_cache;   /* read and write the user's cache of symbols */
    uint32_t threads; /* maximum number; 0: one per processor */

    bool is_sought;
    char *helper;      /* path of the bridge; NULL: not sought, or not there */
    uint64_t identity; /* of the bridge's file; 0 until it is needed */
    /* Process for demangling, started on first use. */
    struct mpdata_remote *demangler;
    uint32_t failures; /* number of names that crashed it */
    struct mpdata_symbolized_binary **binaries; /* by index of the binary */
    size_t binary_count;
};

/* Finds the bridge, once. Error: NO_SYMBOLIZER. */
MPROF_NODISCARD enum mprof_err
mpdata_bridge_load(struct mpdata_symbolizer *symbolizer,
                   struct mprof_diag *diag);

/* Writes new symbols to the cache and frees the symbols of all binaries. No
 * more addresses may follow. */
void mpdata_symbolizer_finish(struct mpdata_symbolizer *symbolizer);

/* Does mpdata_symbolizer_finish() and frees everything else. */
void mpdata_symbolizer_fini(struct mpdata_symbolizer *symbolizer);

/* Finds the symbols of all wanted addresses; mpdata_symbolizer_symbols()
 * returns them. Sorts `wanted`. Marks a binary whose debug information cannot
 * be read as broken and calls `warn`, with `file` as the name of the profile.
 * Errors: NO_SYMBOLIZER, NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_symbolizer_find(
    struct mpdata_symbolizer *symbolizer, struct mpdata_binaries *binaries,
    struct mpdata_wanted *wanted, size_t count, const char *file,
    const struct mpdata_diag_warn *warn, struct mprof_diag *diag);

/* Returns the symbols of a binary that was asked for. */
const struct mpdata_symbols *
mpdata_symbolizer_symbols(const struct mpdata_symbolizer *symbolizer,
                          uint32_t binary);

/* Returns the demangled name, malloc'd; a copy of the name if it is not mangled
 * or the bridge is missing. NULL when out of memory. */
char *mpdata_bridge_demangle(struct mpdata_symbolizer *symbolizer,
                             const char *name);

/* -- bridge.c ---------------------------------------------------------------- */

/* Finds a program of this version that memprofdata starts. */
bool mpdata_bridge_find(const char *name, char out[PATH_MAX]);

/* Returns a hash of the bridge's file and this program's file, without starting
 * the bridge: a different build may give different answers. */
uint64_t mpdata_bridge_identity(struct mpdata_symbolizer *symbolizer);

/* symcache.c -- the user's cache of symbols, $XDG_CACHE_HOME/memprof/symbols or
 * ~/.cache/memprof/symbols: one file with a record for each binary. It may be
 * deleted at any time. */

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

/* remote.c -- sends requests to memprofdata-symbolizer, the process that reads
 * symbol tables and debug information. */

/* One process. Not thread-safe. */
struct mpdata_remote;

/* The files that a process reads. */
struct mpdata_remote_file {
    /* Path of the binary, or of its debug file if there is no binary. */
    const char *path;
    const char *debug;     /* path of its debug file, or "" */
    const char *dwp;       /* package of split DWARF; "": next to the file */
    bool wants_lines;      /* false: read symbol tables only */
    size_t text_bytes_max; /* longer strings are dropped */
};

/* Starts the executable `helper` for an ELF file; with file NULL for demangling
 * only. If the start fails, each request fails. Returns NULL when out of
 * memory. Ends with mpdata_remote_close(), which accepts NULL. */
struct mpdata_remote *mpdata_remote_open(const char *helper,
                                         const struct mpdata_remote_file *file);
void mpdata_remote_close(struct mpdata_remote *remote);

/* Returns why requests fail, or "". After one failure all requests fail. */
const char *mpdata_remote_error(const struct mpdata_remote *remote);

/* Maximum number of addresses in one request. */
#define MPDATA_REMOTE_ADDRESSES_MAX (MPDATA_REMOTE_BYTES_MAX / sizeof(uint64_t))

/* Fills *symbols (empty) with the symbols of the ascending addresses. Returns
 * false on failure. */
bool mpdata_remote_lookup(struct mpdata_remote *remote,
                          const uint64_t *addresses, size_t count,
                          struct mpdata_symbols *symbols);

/* Returns the demangled name, malloc'd; NULL on failure or when out of memory.
 */
char *mpdata_remote_demangle(struct mpdata_remote *remote, const char *name);
