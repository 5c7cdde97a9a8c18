/* remote.h -- asks memprofdata-symbolizer, the process in which symbol tables
 * and debug information are read.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_REMOTE_H
#define MPDATA_REMOTE_H

#include "profdata/symbols/symbols.h"

/* One process; may be used by one thread at a time. */
struct mpdata_remote;

/* The files that a process reads. */
struct mpdata_remote_file {
    const char *path;  /* of the binary, or of its debug file where there is no
                          binary */
    const char *debug; /* its debug file, or "" */
    const char *dwp;   /* the package of split DWARF; "": beside the file */
    bool wants_lines;  /* else only symbol tables are read */
    size_t text_bytes_max; /* longer texts are left out */
};

/* Starts the executable `helper` for the ELF file; file NULL: for demangling
 * alone. Where that fails, so does each question. NULL without memory. Ends
 * with mpdata_remote_close(), which accepts NULL. */
struct mpdata_remote *mpdata_remote_open(const char *helper,
                                         const struct mpdata_remote_file *file);
void mpdata_remote_close(struct mpdata_remote *remote);

/* Why questions fail; "" while they do not. Once one failed, all do. */
const char *mpdata_remote_error(const struct mpdata_remote *remote);

/* So many addresses may make one question. */
#define MPDATA_REMOTE_ADDRESSES_MAX (MPDATA_REMOTE_BYTES_MAX / sizeof(uint64_t))

/* Sets empty symbols to those of the ascending addresses. */
bool mpdata_remote_lookup(struct mpdata_remote *remote,
                          const uint64_t *addresses, size_t count,
                          struct mpdata_symbols *symbols);

/* The name for people, malloc'd; NULL where it failed or without memory. */
char *mpdata_remote_demangle(struct mpdata_remote *remote, const char *name);

#endif
