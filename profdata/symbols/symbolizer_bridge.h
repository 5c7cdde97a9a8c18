/* symbolizer_bridge.h -- LLVM's reader of debug information with a C face: what
 * symbolizer_llvm.cpp gives symbolizer_main.c, and how that, a process of its
 * own, is asked (remote.c). The only header that C++ here shares with C.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLIZER_BRIDGE_H
#define MPDATA_SYMBOLIZER_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

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

/* The one function that symbolizer_llvm.cpp exports, and its type. */
#ifdef __cplusplus
extern "C" __attribute__((visibility("default")))
#endif
const struct mpdata_bridge *
mpdata_symbolizer_llvm_entry(void);
typedef const struct mpdata_bridge *mpdata_bridge_entry_fn(void);

/* -- the process ----------------------------------------------------------- */

/* memprofdata-symbolizer VERSION [FILE DWP] reads questions from its standard
 * input, a socket, and sends an answer to each. Numbers are as the machine has
 * them: both ends are of one build. An answer is a uint64_t, how many bytes
 * follow, and these. A text in it is a u32, 0 where there is none, else its
 * bytes + 1, then the bytes and a 0. Where FILE is given, the first answer is
 * without a question: why it cannot be opened, no bytes where it is. */
#define MPDATA_REMOTE_VERSION "3" /* raised when any of this changes */
#define MPDATA_REMOTE_IS_OTHER 3  /* exit: VERSION is another one */
#define MPDATA_REMOTE_BYTES_MAX (1u << 20)

/* What a question starts with. */
struct mpdata_remote_question {
    uint32_t kind;
    uint32_t bytes; /* that follow, at most MPDATA_REMOTE_BYTES_MAX */
};

enum {
    /* Of u64 addresses: a u64 each, as bridge.unit() says. */
    MPDATA_REMOTE_UNITS = 1,
    /* Of u64 addresses, for each: the text of the file of split DWARF that its
     * unit refers to, where it does and the address before had another unit;
     * u32 frames; and of each frame the texts function, file, start_file and
     * the u32 line, column, start_line, discriminator. */
    MPDATA_REMOTE_LOOKUP,
    /* Of a name: the bytes of that for people. */
    MPDATA_REMOTE_DEMANGLE
};

#endif
