/* symbolizer_dwarf.h -- source-level frames of addresses, from debug
 * information that libdw reads. Part of memprofdata-symbolizer, the process
 * that damaged input may end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLIZER_DWARF_H
#define MPDATA_SYMBOLIZER_DWARF_H

#include "profdata/symbols/symbolizer_bridge.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* The file that is open, and how it is opened: the reader opens it again when
 * libdw holds too much of it. */
struct mpdata_symbolizer_file {
    const char *path;  /* of the binary, or of its debug file alone */
    const char *debug; /* file with its debug information; "": `path` itself */
    Dwfl *dwfl;
    Dwfl_Module *module;
};

/* Opens the file so that libdw's addresses are link-time addresses. False where
 * it is no ELF file that libdwfl reads. */
bool mpdata_symbolizer_dwarf_open(struct mpdata_symbolizer_file *file);

/* What the debug information says of addresses[index]: `count` frames,
 * innermost first, valid during the call; count 0: libdw does not know, another
 * reader may. `split` names the file of split DWARF of the address's unit, or
 * is NULL; it is given with the first address of each unit. */
typedef void mpdata_symbolizer_dwarf_fn(void *context, size_t index,
                                        const struct mpdata_symbol *frames,
                                        size_t count, const char *split);

/* Calls `fn` once for each of the ascending addresses, in the order of their
 * compile units. Returns false without memory; then fewer calls were made. */
bool mpdata_symbolizer_dwarf_find(struct mpdata_symbolizer_file *file,
                                  const uint64_t *addresses, size_t count,
                                  mpdata_symbolizer_dwarf_fn *fn,
                                  void *context);

#endif
