/* symbols.h -- names of functions for print_text, from the symbol tables of the
 * mapped files. Under the dump lock, or in a report of one thread; makes system
 * calls only.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/modules.h"

struct mprt_symbols {
    const struct mprt_module_list *modules;
    struct mprt_symbol_table *tables; /* one per binary, read on first use */
};
/* `modules` must live until mprt_symbols_free(). Without memory, no name is
 * found. */
void mprt_symbols_init(struct mprt_symbols *symbols,
                       const struct mprt_module_list *modules);
void mprt_symbols_free(struct mprt_symbols *symbols);

/* Linkage name of the function in modules[module] that contains the address, or
 * NULL. Always NULL with symbolize=0. */
const char *mprt_symbols_find(struct mprt_symbols *symbols, uint32_t module,
                              uintptr_t address);
