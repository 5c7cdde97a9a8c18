/* code_cache.h -- caches the unwind rule of code addresses, one word per
 * address, and defines generations: how long any fact about code is valid.
 *
 * A generation ends when binaries have been unloaded, and in a forked child. An
 * epoch is a range of MPRT_CODE_CACHE_EPOCH generation numbers; a forked child
 * begins a new one. A fact that depends only on binaries that are never
 * unloaded is valid until the end of the epoch. unwind.c fills the cache,
 * module_history.c ends generations. Any thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/stack/cfi.h"

/* The current generation; never 0. A remembered fact stores the last generation
 * in which it is valid. The last generation of an epoch is in force only while
 * binaries are being unloaded: then only facts that last for an epoch are
 * remembered. */
extern MPRT_HIDDEN _Atomic uint32_t mprt_code_cache_generation;
static inline uint32_t mprt_code_cache_now(void)
{
    return MPRT_LOAD_ACQUIRE(mprt_code_cache_generation);
}

/* The last generation of the epoch of `generation`. */
#define MPRT_CODE_CACHE_EPOCH UINT32_C(256)
static inline uint32_t mprt_code_cache_last(uint32_t generation)
{
    return generation | (MPRT_CODE_CACHE_EPOCH - 1);
}
/* Whether no binary is being unloaded. */
static inline bool mprt_code_cache_is_steady(uint32_t generation)
{
    return generation != mprt_code_cache_last(generation);
}

/* Enclose a call that may unload binaries. Both are called by the same thread
 * and may nest. must_forget: something was unloaded. Inside the guard. */
void mprt_code_cache_suspend(void);
void mprt_code_cache_resume(bool must_forget);
/* See lifecycle.inc. A forked child begins a new epoch. */
extern MPRT_HIDDEN struct mprt_lock mprt_code_cache_lock;
void mprt_code_cache_in_child(void);

#define MPRT_CODE_CACHE_BITS 14
#define MPRT_CODE_CACHE_ENTRIES ((size_t)1 << MPRT_CODE_CACHE_BITS)

/* The rule of an address, as a word. */
union mprt_code_word {
    struct mprt_rule rule;
    uint64_t word;
};

/* The two words are written separately. If another thread has written one of
 * them, `key` does not match. */
struct mprt_code_cached {
    _Atomic uint64_t key; /* pc ^ word */
    _Atomic uint64_t word;
};
extern MPRT_HIDDEN struct mprt_code_cached
    mprt_code_cache[MPRT_CODE_CACHE_ENTRIES];

/* The entry that holds the word of an address if the cache has it. */
static inline struct mprt_code_cached *mprt_code_cache_at(uintptr_t pc)
{
    return &mprt_code_cache[pc * UINT64_C(0x9e3779b97f4a7c15) >>
                            (64 - MPRT_CODE_CACHE_BITS)];
}

/* Returns whether the entry holds the word of pc, and sets *word. */
static inline bool mprt_code_cache_find(const struct mprt_code_cached *c,
                                        uintptr_t pc, uint64_t *word)
{
    *word = MPRT_LOAD(c->word);
    return (MPRT_LOAD(c->key) ^ *word) == pc;
}

static inline void mprt_code_cache_put(struct mprt_code_cached *c, uintptr_t pc,
                                       uint64_t word)
{
    MPRT_STORE(c->word, word);
    MPRT_STORE(c->key, pc ^ word);
}
