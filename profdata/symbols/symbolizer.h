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
