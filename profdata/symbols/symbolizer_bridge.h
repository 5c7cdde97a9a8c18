/* symbolizer_bridge.h -- what memprofdata-symbolizer.so exports: LLVM's reader
 * of debug information with a C face. The only header that C++ here shares with
 * C.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLIZER_BRIDGE_H
#define MPDATA_SYMBOLIZER_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

/* Raised when the structs below change. */
#define MPDATA_BRIDGE_VERSION 2
#define MPDATA_BRIDGE_ENTRY "mpdata_bridge_entry"

#define MPDATA_BRIDGE_NO_UNIT UINT64_MAX

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

/* Called with the path of a file of split DWARF. */
typedef void mpdata_split_fn(void *context, const char *path);

/* What open() returns may be used by one thread at a time; several of them by
 * several threads, also of one file. */
struct mpdata_bridge {
    uint32_t version; /* MPDATA_BRIDGE_VERSION */
    uint32_t llvm_version;
    /* The debug information of the ELF file at `path`; split DWARF is looked
     * for in the package `dwp` ("": beside the file) and at the places that the
     * file itself names. NULL with a text in error[0..error_size). */
    void *(*open)(const char *path, const char *dwp, char *error,
                  size_t error_size);
    void (*close)(void *self);
    /* The compile unit of a link-time address, or MPDATA_BRIDGE_NO_UNIT. */
    uint64_t (*unit)(void *self, uint64_t address);
    /* Looks up a link-time address. */
    void (*lookup)(void *self, uint64_t address, mpdata_symbol_fn *fn,
                   void *context);
    /* Tells the file of split DWARF that the unit of an address refers to, if
     * it does. */
    void (*split)(void *self, uint64_t address, mpdata_split_fn *fn,
                  void *context);
    /* The name for people; the name itself where it is not mangled. malloc'd,
     * NULL without memory. */
    char *(*demangle)(const char *name);
};

/* The type of MPDATA_BRIDGE_ENTRY. */
typedef const struct mpdata_bridge *mpdata_bridge_entry_fn(void);

#endif
