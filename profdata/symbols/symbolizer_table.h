/* symbolizer_table.h -- names of functions by the ELF symbol tables that
 * libdwfl finds: the binary's, that of its debug file, the compressed one of a
 * stripped binary (.gnu_debugdata), or the names that it exports.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLIZER_TABLE_H
#define MPDATA_SYMBOLIZER_TABLE_H

#include "shared/base.h"

#include <elfutils/libdwfl.h>

/* An address, and the symbol table's answer, borrowed from the module. */
struct mpdata_symbolizer_name {
    uint64_t address;
    const char *name; /* of the function there, or NULL */
    const char *file; /* its source file, where it is local, or NULL */
};

/* Sets the names of all rows, which ascend by address, in one pass over the
 * tables. False without memory. */
bool mpdata_symbolizer_table_find(Dwfl_Module *module,
                                  struct mpdata_symbolizer_name *rows,
                                  size_t count);

#endif
