/* symbolizer.h -- names for addresses: from the cache, from symbol tables, and
 * from debug information, for which LLVM's reader is started at the first
 * question for it and not before: a command that needs no names does not pay
 * for it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLIZER_H
#define MPDATA_SYMBOLIZER_H

#include "profdata/symbols/binaries.h"
#include "profdata/symbols/symbols.h"

struct mpdata_symbolized_binary; /* symbolizer.c */

/* Zero-initialise; end with mpdata_symbolizer_fini(). */
struct mpdata_symbolizer {
    bool use_cache;   /* read and write the user's cache of symbols */
    uint32_t threads; /* at most so many; 0: as many as there are processors */

    char *helper;      /* the bridge's path; NULL until it is found */
    uint64_t identity; /* of the bridge's file; 0 until it is sought */
    bool is_sought;
    struct mpdata_remote *demangler;            /* started for the first name */
    uint32_t failures;                          /* how many names ended it */
    struct mpdata_symbolized_binary **binaries; /* by index of the binary */
    size_t binary_count;
};

/* Finds the bridge unless that was done. Error: NO_SYMBOLIZER. */
MPROF_NODISCARD enum mprof_err
mpdata_bridge_load(struct mpdata_symbolizer *symbolizer,
                   struct mprof_diag *diag);

/* Writes what is new to the cache, and frees what was read of binaries: when no
 * more addresses are to come. */
void mpdata_symbolizer_finish(struct mpdata_symbolizer *symbolizer);

/* So too, and all the rest. */
void mpdata_symbolizer_fini(struct mpdata_symbolizer *symbolizer);

/* Finds the symbols of addresses, which it sorts; mpdata_symbolizer_symbols()
 * then knows them all. A binary whose debug information cannot be read is
 * marked as broken and told to `warn`; `file` is the profile's name for that.
 * Errors: NO_SYMBOLIZER, NOMEM. */
MPROF_NODISCARD enum mprof_err mpdata_symbolizer_find(
    struct mpdata_symbolizer *symbolizer, struct mpdata_binaries *binaries,
    struct mpdata_wanted *wanted, size_t count, const char *file,
    const struct mpdata_diag_warn *warn, struct mprof_diag *diag);

/* What is known of a binary that was asked for. */
const struct mpdata_symbols *
mpdata_symbolizer_symbols(const struct mpdata_symbolizer *symbolizer,
                          uint32_t binary);

/* A name for people, malloc'd; the name itself where it is not mangled, or the
 * program for that is missing. NULL without memory. */
char *mpdata_bridge_demangle(struct mpdata_symbolizer *symbolizer,
                             const char *name);

#endif
