/* elf_symbols.h -- names of functions by an ELF symbol table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_ELF_SYMBOLS_H
#define MPDATA_ELF_SYMBOLS_H

#include "profdata/symbols/elf.h"

/* An address, and what the symbol table says of it: borrowed from the file. */
struct mpdata_elf_name {
    uint64_t address;
    const char *name; /* of the function there, or NULL */
    const char *file; /* its source file, where it is local, or NULL */
};

/* Finds the names of all rows, which ascend by address, in one pass over the
 * table; damaged entries are passed over. False without memory. */
bool mpdata_elf_symbols_find(const struct mpdata_elf_bytes *table,
                             const struct mpdata_elf_bytes *strings,
                             struct mpdata_elf_name *rows, size_t count);

#endif
