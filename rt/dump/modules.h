/* modules.h -- the binaries that are or were mapped. Takes no lock of the
 * runtime. Takes the loader's lock, except in the helper and in a forked child.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/stack/object.h"

struct mprt_module_list {
    const struct mprt_module *modules; /* the main program comes first */
    uint32_t count;
    uint32_t mapped_count; /* the rest are unloaded */
    /* Index in modules by number of a recorded module (module_history.h). */
    const uint32_t *of_seen;
    uint32_t seen_count;
    void *map; /* memory of the list */
    size_t map_bytes;
};
/* Lists all binaries, unloaded ones last; of those only binaries that call
 * stacks went through. False without memory. */
bool mprt_modules_list(struct mprt_module_list *list);
void mprt_modules_free(struct mprt_module_list *list);

/* Whether the address lies in the module's code. */
bool mprt_modules_holds(const struct mprt_module *module, uintptr_t address);
/* Index of the binary whose code contains a recorded pc, or modules->count. */
uint32_t mprt_modules_find(const struct mprt_module_list *modules,
                           uintptr_t pc);
/* The same among mapped binaries, by address only. */
uint32_t mprt_modules_find_mapped(const struct mprt_module_list *modules,
                                  uintptr_t address);
