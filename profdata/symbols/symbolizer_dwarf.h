/* symbolizer_dwarf.h -- source-level frames of addresses from debug
 * information, read by libdw. Part of memprofdata-symbolizer, the process that
 * damaged input may crash.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/symbols/symbolizer_bridge.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* The open file, and how to open it: the reader reopens it when libdw holds too
 * much memory. */
struct mpdata_symbolizer_file {
    const char *path;  /* path of the binary, or of its debug file alone */
    const char *debug; /* path of the debug file; "": `path` itself */
    Dwfl *dwfl;
    Dwfl_Module *module;
};

/* Opens the file so that libdw's addresses are link-time addresses. Returns
 * false if libdwfl cannot read it as an ELF file. */
bool mpdata_symbolizer_dwarf_open(struct mpdata_symbolizer_file *file);

/* Receives the frames of addresses[index]: `count` frames, innermost first,
 * valid during the call. Count 0: libdw cannot tell, another reader may.
 * `split` is the path of the split DWARF file of the address's unit with the
 * first address of that unit, else NULL. */
typedef void mpdata_symbolizer_dwarf_fn(void *context, size_t index,
                                        const struct mpdata_symbol *frames,
                                        size_t count, const char *split);

/* Calls `fn` once for each of the ascending addresses, in the order of their
 * compile units. Returns false when out of memory; some calls are missing then.
 */
bool mpdata_symbolizer_dwarf_find(struct mpdata_symbolizer_file *file,
                                  const uint64_t *addresses, size_t count,
                                  mpdata_symbolizer_dwarf_fn *fn,
                                  void *context);
