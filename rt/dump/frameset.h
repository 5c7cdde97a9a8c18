/* frameset.h -- the distinct code addresses of a dump.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_FRAMESET_H
#define MPRT_FRAMESET_H

#include "rt/base/rt.h"

struct mprt_frame {
    uintptr_t pc;
    uint64_t address;     /* link-time */
    uint32_t module_plus; /* MODULES idx + 1, or 0 */
};

/* Open addressing by pc; slots hold frame numbers + 1, 0 is free. Empty where
 * all is zero. */
struct mprt_frameset {
    struct mprt_frame *frames; /* by number */
    uint32_t count;
    uint32_t capacity; /* of frames; half the slots */
    uint32_t *slots;
};

/* Adds the address where it is new; false without memory. *number: its place in
 * frames. */
bool mprt_frameset_put(struct mprt_frameset *set, uintptr_t pc,
                       uint32_t *number);
/* The number of an address that was put. */
uint32_t mprt_frameset_find(const struct mprt_frameset *set, uintptr_t pc);
void mprt_frameset_free(struct mprt_frameset *set);

#endif
