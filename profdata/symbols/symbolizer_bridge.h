/* symbolizer_bridge.h -- C interface of LLVM's reader of debug information
 * (symbolizer_llvm.cpp), and the protocol of memprofdata-symbolizer, a separate
 * process (remote.c sends requests, symbolizer_main.c answers). The only header
 * that C++ and C share here.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* One source-level frame of an address. Strings are NULL if unknown. */
struct mpdata_symbol {
    const char *function; /* linkage name */
    const char *file;
    const char *start_file; /* file that defines the function */
    uint32_t line;
    uint32_t column;
    uint32_t start_line;
    uint32_t discriminator;
};

/* Receives the frames of an address, innermost first, at least one; valid
 * during the call. */
typedef void mpdata_symbol_fn(void *context,
                              const struct mpdata_symbol *symbols,
                              size_t count);

#ifdef __cplusplus
extern "C" {
#endif

/* Opens LLVM's reader for the debug information of the ELF file at `path`.
 * Split DWARF is read from the package `dwp` ("": next to the file) and from
 * the paths that the file names. Returns NULL if LLVM cannot read the file. */
void *mpdata_symbolizer_llvm_open(const char *path, const char *dwp);
/* Looks up a link-time address. */
void mpdata_symbolizer_llvm_lookup(void *reader, uint64_t address,
                                   mpdata_symbol_fn *fn, void *context);
/* Returns the demangled name, malloc'd; a copy of the name if it is not
 * mangled. NULL when out of memory. */
char *mpdata_symbolizer_llvm_demangle(const char *name);

#ifdef __cplusplus
}
#endif

/* -- the protocol ---------------------------------------------------------- */

/* memprofdata-symbolizer VERSION [WANTED FILE DEBUG DWP TEXT] reads requests
 * from its standard input, a socket, and sends an answer to each.
 *
 *   WANTED  MPDATA_REMOTE_LINES, or MPDATA_REMOTE_NAMES: symbol tables only
 *   FILE    the binary, or its debug file if there is no binary
 *   DEBUG   its debug file; "": FILE itself holds the debug information
 *   DWP     the package of split DWARF; "": search next to the file
 *   TEXT    strings of more bytes are dropped
 *
 * Numbers have the machine's byte order: both ends are of one build. An answer
 * is a uint64_t, the number of bytes that follow, and these bytes. If FILE is
 * given, the first answer precedes all requests: empty if FILE is open, else
 * the reason why it cannot be opened. */
#define MPDATA_REMOTE_VERSION "5" /* raise it with each change */
#define MPDATA_REMOTE_LINES "lines"
#define MPDATA_REMOTE_NAMES "names"
#define MPDATA_REMOTE_IS_OTHER 3 /* exit status: VERSION differs */
#define MPDATA_REMOTE_BYTES_MAX (1u << 20)

/* Header of a request. */
struct mpdata_remote_question {
    uint32_t kind;
    uint32_t bytes; /* size of the rest; at most MPDATA_REMOTE_BYTES_MAX */
};

enum {
    /* Request: ascending u64 addresses. Answer: their symbols as bytes
     * (symbols.h). */
    MPDATA_REMOTE_LOOKUP = 1,
    /* Request: a name. Answer: the demangled name. */
    MPDATA_REMOTE_DEMANGLE
};
