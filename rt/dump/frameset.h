/* frameset.h -- the distinct code addresses of a dump.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

struct mprt_frame {
    uintptr_t pc;
    uint64_t address;     /* link-time address */
    uint32_t module_plus; /* MODULES idx + 1, or 0 if unknown */
};

/* Hash table with open addressing. slots hold frame numbers + 1; 0 is free.
 * Zeroed: empty. */
struct mprt_frameset {
    struct mprt_frame *frames; /* indexed by frame number */
    uint32_t count;
    uint32_t capacity; /* room in frames; half the number of slots */
    uint32_t *slots;
};

/* Adds the address if it is new. *number: its index in frames. False without
 * memory. */
bool mprt_frameset_put(struct mprt_frameset *set, uintptr_t pc,
                       uint32_t *number);
/* Number of an address that was added. */
uint32_t mprt_frameset_find(const struct mprt_frameset *set, uintptr_t pc);
void mprt_frameset_free(struct mprt_frameset *set);
