/* origins.h -- which module a recorded code address was of, when modules come
 * and go. See origins.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_ORIGINS_H
#define MPRT_ORIGINS_H

#include "rt/stack/object.h"

/* Modules that are told apart; what further ones recorded has no module. */
#define MPRT_ORIGINS_MAX 65534

/* A module that a call stack went through. Never changes, never goes away. */
struct mprt_origin {
    struct mprt_module module;
    uintptr_t start; /* of its mapping */
    uintptr_t end;
    /* 0 where no earlier origin overlaps; else its number + 1. */
    uint32_t tag;
    _Atomic uint32_t generation; /* in which it was last seen here, or 0 */
};

/* To be called for an address of the object that was not looked up before in
 * this generation (unwind.h; 0: none), while the object cannot go away. */
void mprt_origin_note(const struct mprt_object *object, uint32_t generation);

/* Addresses in [low, high) may be of several modules. */
extern _Atomic uintptr_t mprt_origin_low;
extern _Atomic uintptr_t mprt_origin_high; /* 0: there are none */
/* Whether addresses alone do not tell their modules. */
static inline bool mprt_origin_is_any_doubted(void)
{
    return atomic_load_explicit(&mprt_origin_high, memory_order_relaxed) != 0;
}

void mprt_origin_tag_slow(uintptr_t *pcs, size_t count, uint32_t generation);
/* Puts the module into each of pcs[0..count), addresses of this thread's stack,
 * where the address alone would not tell (rt.h, MPRT_PC_*). */
static inline void mprt_origin_tag(uintptr_t *pcs, size_t count,
                                   uint32_t generation)
{
    if (MPROF_UNLIKELY(mprt_origin_is_any_doubted()))
        mprt_origin_tag_slow(pcs, count, generation);
}

/* Origins so far; they are numbered from 0. */
uint32_t mprt_origin_count(void);
const struct mprt_origin *mprt_origin_at(uint32_t number);
/* The same module at the same place. */
bool mprt_origin_is(const struct mprt_origin *origin,
                    const struct mprt_module *module);

/* Around what may unload modules. */
void mprt_origin_before_unload(void);
void mprt_origin_after_unload(void);
/* Where modules may have been unloaded without that. */
void mprt_origin_look(void);

struct mprt_lock *mprt_origin_lock(void);

#endif
