/* symbols.h -- the names of functions, from the symbol tables of the files that
 * modules were mapped from: what print_text says. Under the dump lock or in one
 * thread's own report; system calls only.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_SYMBOLS_H
#define MPRT_SYMBOLS_H

#include "rt/dump/modules.h"

struct mprt_symbols {
    const struct mprt_module_list *modules;
    struct mprt_symbol_table *tables; /* one a module, read when asked */
};
/* Until mprt_symbols_free(), which `modules` must outlive. Without memory there
 * are no names. */
void mprt_symbols_init(struct mprt_symbols *symbols,
                       const struct mprt_module_list *modules);
void mprt_symbols_free(struct mprt_symbols *symbols);

/* The linkage name of the function of modules[module] that holds the address,
 * or NULL; always NULL with symbolize=0. */
const char *mprt_symbols_find(struct mprt_symbols *symbols, uint32_t module,
                              uintptr_t address);

#endif
