/* remote.h -- asks memprofdata-symbolizer, the process in which LLVM's reader
 * of debug information runs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_REMOTE_H
#define MPDATA_REMOTE_H

#include "profdata/symbols/symbolizer_bridge.h"
#include "shared/base.h"

/* One process; may be used by one thread at a time. */
struct mpdata_remote;

/* Starts the executable `helper` for the debug information of the ELF file at
 * `path`, with the package of split DWARF `dwp` ("": beside the file); path
 * NULL: for names alone. Where that fails, so does each question. NULL without
 * memory. Ends with mpdata_remote_close(), which may have NULL. */
struct mpdata_remote *mpdata_remote_open(const char *helper, const char *path,
                                         const char *dwp);
void mpdata_remote_close(struct mpdata_remote *remote);

/* Why questions fail; "" while they do not. Once one failed, all do. */
const char *mpdata_remote_error(const struct mpdata_remote *remote);

/* At most so many addresses make one question. */
#define MPDATA_REMOTE_ADDRESSES_MAX 256u

/* units[i]: the compile unit of addresses[i], or MPDATA_BRIDGE_NO_UNIT. */
bool mpdata_remote_units(struct mpdata_remote *remote,
                         const uint64_t *addresses, size_t count,
                         uint64_t *units);

/* Calls `fn` with the frames of each address in its order, and `split` before
 * it with the file of split DWARF that its unit refers to, if it does. */
bool mpdata_remote_lookup(struct mpdata_remote *remote,
                          const uint64_t *addresses, size_t count,
                          void (*fn)(void *context, uint64_t address,
                                     const struct mpdata_symbol *symbols,
                                     size_t count),
                          mpdata_split_fn *split, void *context);

/* The name for people, malloc'd; NULL where it failed or without memory. */
char *mpdata_remote_demangle(struct mpdata_remote *remote, const char *name);

#endif
