/* remote.h -- sends requests to memprofdata-symbolizer, the process that reads
 * symbol tables and debug information.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/symbols/symbols.h"

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
