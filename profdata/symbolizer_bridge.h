/* symbolizer_bridge.h -- what memprofdata-symbolizer.so exports: LLVM's
 * symbolizer with a C face. The only header that C++ here shares with C.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLIZER_BRIDGE_H
#define MPDATA_SYMBOLIZER_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

/* Raised when the structs below change. */
#define MPDATA_BRIDGE_VERSION 1
#define MPDATA_BRIDGE_ENTRY "mpdata_bridge_entry"

/* One source-level frame of an address. Strings are NULL where unknown. */
struct mpdata_symbol {
    const char *function; /* linkage name */
    const char *file;
    const char *start_file; /* that defines the function */
    uint32_t line;
    uint32_t column;
    uint32_t start_line;
    uint32_t discriminator;
};

/* Called with the frames of an address, innermost first, at least one. They are
 * valid during the call. */
typedef void mpdata_symbol_fn(void *context,
                              const struct mpdata_symbol *symbols,
                              size_t count);

struct mpdata_bridge {
    uint32_t version; /* MPDATA_BRIDGE_VERSION */
    uint32_t llvm_version;
    void *(*open)(void);
    void (*close)(void *self);
    /* Looks up a link-time address of the ELF file at `path`: debug information
     * alone, or the symbol table's name for the outermost frame. Returns 0, or
     * 1 with a text in error[0..error_size). */
    int (*lookup)(void *self, const char *path, uint64_t address,
                  int use_symbol_table, mpdata_symbol_fn *fn, void *context,
                  char *error, size_t error_size);
    /* The name for people; the name itself where it is not mangled. malloc'd,
     * NULL without memory. */
    char *(*demangle)(const char *name);
};

/* The type of MPDATA_BRIDGE_ENTRY. */
typedef const struct mpdata_bridge *mpdata_bridge_entry_fn(void);

#endif
