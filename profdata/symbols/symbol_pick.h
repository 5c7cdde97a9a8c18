/* symbol_pick.h -- which name an address gets: debug information's or the
 * symbol table's.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CHOICE_H
#define MPDATA_CHOICE_H

#include "profdata/symbols/symbols.h"

/* An address on its way into symbols. */
struct mpdata_symbol_pick {
    struct mpdata_symbols *symbols;
    uint64_t address;
    const char *name; /* by the symbol table, or NULL */
    const char *file; /* so too */
    char own[4096];   /* what the next function keeps the name in */
};

/* Sets the symbol table's name (or NULL), without the version that a library
 * gave it (memcpy@@GLIBC_2.14). */
void mpdata_symbol_pick_name(struct mpdata_symbol_pick *pick, const char *name);

/* A mpdata_symbol_fn: takes what debug information says (one unknown frame
 * where there is none) and adds the address. `context` is a struct
 * mpdata_symbol_pick. */
void mpdata_symbol_pick_take(void *context, const struct mpdata_symbol *symbols,
                             size_t count);

bool mpdata_symbol_pick_is_mangled(const char *name);

#endif
