/* module_history.h -- which module a recorded code address was of, when modules
 * come and go. Any thread, inside the guard where it says nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_MODULE_HISTORY_H
#define MPRT_MODULE_HISTORY_H

#include "rt/stack/object.h"

/* Modules that are told apart; what further ones recorded has no module. */
#define MPRT_MODULE_HISTORY_MAX 65534

/* A module that a call stack went through, or that was there when something was
 * unloaded. Never changes, never goes away. */
struct mprt_seen_module {
    struct mprt_module module;
    uintptr_t start; /* of its mapping */
    uintptr_t end;
    /* 0 where no module seen before overlaps; else its number + 1. */
    uint32_t tag;
    _Atomic uint32_t generation; /* up to which it was seen here, or 0 */
};

/* The object is never unloaded: it was mapped when the runtime started. */
bool mprt_module_history_lasts(const struct mprt_object *object);
/* To be called for an address of the object that was not looked up before in
 * this generation (code_cache.h), while the object cannot go away. */
void mprt_module_history_note(const struct mprt_object *object,
                              uint32_t generation);

/* Where the addresses end that may be of several modules; 0: there are none. */
extern MPRT_HIDDEN _Atomic uintptr_t mprt_module_history_high;
/* Whether addresses alone do not tell their modules. */
static inline bool mprt_module_history_is_ambiguous(void)
{
    return atomic_load_explicit(&mprt_module_history_high,
                                memory_order_relaxed) != 0;
}

void mprt_module_history_tag_slow(uintptr_t *pcs, size_t count);
/* Puts the module into each of pcs[0..count), addresses of this thread's stack,
 * where the address alone would not tell (pc.h). */
static inline void mprt_module_history_tag(uintptr_t *pcs, size_t count)
{
    if (MPROF_UNLIKELY(mprt_module_history_is_ambiguous()))
        mprt_module_history_tag_slow(pcs, count);
}

/* Modules seen so far; they are numbered from 0. Without a lock, as what
 * follows. */
uint32_t mprt_module_history_count(void);
const struct mprt_seen_module *mprt_module_history_at(uint32_t number);
/* The same module at the same place. */
bool mprt_module_history_is(const struct mprt_seen_module *seen,
                            const struct mprt_module *module);

/* What is mapped now is never unloaded: dlopen() allocates before it maps. */
void mprt_module_history_init(void);

/* Around what may unload modules. Also outside the guard. */
void mprt_module_history_before_unload(void);
void mprt_module_history_after_unload(void);
/* Where modules may have been unloaded without that. */
void mprt_module_history_look(void);

/* Around fork(), see lifecycle.h. */
void mprt_module_history_before_fork(bool is_outermost);
void mprt_module_history_after_fork(bool is_child, bool is_outermost);

#endif
