/* module_history.h -- remembers which binary a recorded code address belongs
 * to, also if binaries are unloaded and others mapped in their place. Any
 * thread; inside the guard unless stated otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/stack/object.h"

/* Limit of binaries; addresses in further ones have no binary. */
#define MPRT_MODULE_HISTORY_MAX 65533

/* A binary that a call stack went through, or that was mapped when another one
 * was unloaded, or found by _find_loaded(). Never freed; only what is atomic or
 * the log's changes. */
struct mprt_seen_module {
    struct mprt_module module;
    uintptr_t start; /* bounds of the mapping */
    uintptr_t end;
    /* 0 if no binary seen before overlaps; else its number + 1. */
    uint32_t tag;
    _Atomic uint32_t generation; /* last generation in which the binary is known
                                  * to be mapped here, or 0 */
    /* When it was first seen since it was loaded last, 0 for one that is never
     * unloaded; and when it was missed after that, or 0. */
    _Atomic uint64_t loaded_ns;
    _Atomic uint64_t unloaded_ns;
    /* Of the log: what it has of them. */
    uint64_t logged_loaded_ns;
    uint64_t logged_unloaded_ns;
};

/* Whether the object is never unloaded: it was mapped when the runtime
 * started. */
bool mprt_module_history_lasts(const struct mprt_object *object);
/* Remembers the binary of an object. Call it for an address in the object whose
 * rule was not yet looked up in this generation (code_cache.h), while the
 * object cannot be unloaded. */
void mprt_module_history_note(const struct mprt_object *object,
                              uint32_t generation);

/* End of the addresses that may belong to several binaries; 0 if there are
 * none. */
extern MPRT_HIDDEN _Atomic uintptr_t mprt_module_history_high;
/* Whether some addresses do not identify a binary. */
static inline bool mprt_module_history_is_ambiguous(void)
{
    return MPRT_LOAD(mprt_module_history_high) != 0;
}

void mprt_module_history_tag_slow(uintptr_t *pcs, size_t count);
/* Stores a tag for the binary in those of pcs[0..count), addresses of this
 * thread's stack, that alone do not identify it (pc.h). */
static inline void mprt_module_history_tag(uintptr_t *pcs, size_t count)
{
    if (MPROF_UNLIKELY(mprt_module_history_is_ambiguous()))
        mprt_module_history_tag_slow(pcs, count);
}

/* The number of binaries seen so far, which are numbered from 0, and each of
 * them. These functions take no lock. */
uint32_t mprt_module_history_count(void);
struct mprt_seen_module *mprt_module_history_at(uint32_t number);
/* How often a binary was seen, loaded again or missed. */
uint32_t mprt_module_history_changes(void);
/* Whether `module` is the binary `seen`, at the same address. */
bool mprt_module_history_is(const struct mprt_seen_module *seen,
                            const struct mprt_module *module);

/* Records the binaries that are mapped now and never unloaded. (dlopen()
 * allocates before it maps, so the runtime has started before.) */
void mprt_module_history_init(void);

/* Called before and after a function that may unload binaries. Also outside the
 * guard. */
void mprt_module_history_before_unload(void);
/* Returns whether one was. */
bool mprt_module_history_after_unload(void);
/* Called if binaries may have been unloaded without the two functions above. */
void mprt_module_history_look(void);
/* Records binaries that were loaded since the last call, where the program may
 * take the loader's lock. */
void mprt_module_history_find_loaded(void);

/* See lifecycle.inc. */
extern MPRT_HIDDEN struct mprt_lock mprt_module_history_lock;
