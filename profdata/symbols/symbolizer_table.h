/* symbolizer_table.h -- function names from the ELF symbol tables that libdwfl
 * finds: that of the binary, of its debug file, the compressed one of a
 * stripped binary (.gnu_debugdata), or the exported names.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLIZER_TABLE_H
#define MPDATA_SYMBOLIZER_TABLE_H

#include "shared/base.h"

#include <elfutils/libdwfl.h>

/* An address and its symbol; strings are borrowed from the module. */
struct mpdata_symbolizer_name {
    uint64_t address;
    const char *name; /* name of the function, or NULL */
    const char *file; /* source file of a local function, or NULL */
};

/* Sets the names of all rows, ordered by address, in one pass over the tables.
 * Returns false when out of memory. */
bool mpdata_symbolizer_table_find(Dwfl_Module *module,
                                  struct mpdata_symbolizer_name *rows,
                                  size_t count);

#endif
