/* modules.h -- what is or was mapped. Takes no lock of ours; the loader's, but
 * in the helper and in a forked child.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_MODULES_H
#define MPRT_MODULES_H

#include "rt/stack/object.h"

struct mprt_module_list {
    const struct mprt_module *modules; /* main program first */
    uint32_t count;
    uint32_t mapped_count; /* those behind were unloaded */
    /* By number of a seen module (module_history.h): its place in modules. */
    const uint32_t *of_seen;
    uint32_t seen_count;
    void *map; /* memory to give back */
    size_t map_bytes;
};
/* A list of all modules, those that were unloaded last (of these only what call
 * stacks went through), or false without memory. */
bool mprt_modules_list(struct mprt_module_list *list);
void mprt_modules_free(struct mprt_module_list *list);

/* Whether the address lies in the module's code. */
bool mprt_modules_holds(const struct mprt_module *module, uintptr_t address);
/* Index of the module whose code a recorded pc is of, or modules->count. */
uint32_t mprt_modules_find(const struct mprt_module_list *modules,
                           uintptr_t pc);
/* The same among those that are mapped now, by address alone. */
uint32_t mprt_modules_find_mapped(const struct mprt_module_list *modules,
                                  uintptr_t address);

#endif
