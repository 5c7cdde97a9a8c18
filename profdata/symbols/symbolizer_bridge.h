/* symbolizer_bridge.h -- LLVM's reader of debug information with a C face
 * (symbolizer_llvm.cpp), and the questions that memprofdata-symbolizer, a
 * process of its own, answers (remote.c asks, symbolizer_main.c answers). The
 * only header that C++ here shares with C.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLIZER_BRIDGE_H
#define MPDATA_SYMBOLIZER_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

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

#ifdef __cplusplus
extern "C" {
#endif

/* LLVM's reader of the debug information of the ELF file at `path`; split DWARF
 * is looked for in the package `dwp` ("": beside the file) and at the places
 * that the file itself names. NULL where LLVM cannot read the file. */
void *mpdata_symbolizer_llvm_open(const char *path, const char *dwp);
/* Looks up a link-time address. */
void mpdata_symbolizer_llvm_lookup(void *reader, uint64_t address,
                                   mpdata_symbol_fn *fn, void *context);
/* The name for people; the name itself where it is not mangled. malloc'd, NULL
 * without memory. */
char *mpdata_symbolizer_llvm_demangle(const char *name);

#ifdef __cplusplus
}
#endif

/* -- the process ----------------------------------------------------------- */

/* memprofdata-symbolizer VERSION [WANTED FILE DEBUG DWP TEXT] reads questions
 * from its standard input, a socket, and sends an answer to each. FILE is the
 * binary, or its debug file where there is no binary; DEBUG its debug file, ""
 * where FILE itself holds the debug information; DWP the package of split
 * DWARF, "" to look beside the file. WANTED is MPDATA_REMOTE_LINES, or
 * MPDATA_REMOTE_NAMES to read symbol tables only. Texts of more than TEXT bytes
 * are left out.
 *
 * Numbers are as the machine has them: both ends are of one build. An answer is
 * a uint64_t, the number of bytes that follow, and these. Where FILE is given,
 * the first answer is without a question: why FILE cannot be opened, no bytes
 * where it is open. */
#define MPDATA_REMOTE_VERSION "5" /* raised when any of this changes */
#define MPDATA_REMOTE_LINES "lines"
#define MPDATA_REMOTE_NAMES "names"
#define MPDATA_REMOTE_IS_OTHER 3 /* exit: VERSION is another one */
#define MPDATA_REMOTE_BYTES_MAX (1u << 20)

/* What a question starts with. */
struct mpdata_remote_question {
    uint32_t kind;
    uint32_t bytes; /* that follow, at most MPDATA_REMOTE_BYTES_MAX */
};

enum {
    /* Of ascending u64 addresses: the bytes of their symbols (symbols.h). */
    MPDATA_REMOTE_LOOKUP = 1,
    /* Of a name: the bytes of that for people. */
    MPDATA_REMOTE_DEMANGLE
};

#endif
