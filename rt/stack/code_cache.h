/* code_cache.h -- what is remembered of code addresses: a word for each, for
 * one generation, which is over when modules were unloaded, and in a forked
 * child. What depends only on modules that are never unloaded lasts for an
 * epoch, of many generations, which is over in a forked child. Below what fills
 * it (unwind.c) and what ends generations (module_history.c). Any thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_CODE_CACHE_H
#define MPRT_CODE_CACHE_H

#include "rt/stack/cfi.h"

/* The generation. What is remembered until then is valid up to it: in the last
 * one of an epoch modules are just being unloaded, and only what lasts is
 * remembered. Never 0. */
extern MPRT_HIDDEN _Atomic uint32_t mprt_code_cache_generation;
static inline uint32_t mprt_code_cache_now(void)
{
    return atomic_load_explicit(&mprt_code_cache_generation,
                                memory_order_acquire);
}

/* The last generation of the epoch. */
#define MPRT_CODE_CACHE_EPOCH UINT32_C(256)
static inline uint32_t mprt_code_cache_last(uint32_t generation)
{
    return generation | (MPRT_CODE_CACHE_EPOCH - 1);
}
/* No modules are being unloaded. */
static inline bool mprt_code_cache_is_steady(uint32_t generation)
{
    return generation != mprt_code_cache_last(generation);
}

/* Around what may unload modules, in one thread, nested; must_forget: something
 * was unloaded. Inside the guard. */
void mprt_code_cache_suspend(void);
void mprt_code_cache_resume(bool must_forget);
/* Around fork(), see lifecycle.h; in a child a new generation begins. */
void mprt_code_cache_before_fork(bool is_outermost);
void mprt_code_cache_after_fork(bool is_child, bool is_outermost);

#define MPRT_CODE_CACHE_BITS 14
#define MPRT_CODE_CACHE_ENTRIES ((size_t)1 << MPRT_CODE_CACHE_BITS)

/* The rule of an address, as one word. */
union mprt_code_word {
    struct mprt_rule rule;
    uint64_t word;
};

/* Two words that are not read as one: an entry torn by another thread does not
 * match. */
struct mprt_code_cached {
    _Atomic uint64_t key; /* pc ^ word */
    _Atomic uint64_t word;
};
extern MPRT_HIDDEN struct mprt_code_cached
    mprt_code_cache[MPRT_CODE_CACHE_ENTRIES];

/* Where the word of an address is, if it is there. */
static inline struct mprt_code_cached *mprt_code_cache_at(uintptr_t pc)
{
    return &mprt_code_cache[pc * UINT64_C(0x9e3779b97f4a7c15) >>
                            (64 - MPRT_CODE_CACHE_BITS)];
}

/* True where the word is remembered: *word. */
static inline bool mprt_code_cache_find(const struct mprt_code_cached *c,
                                        uintptr_t pc, uint64_t *word)
{
    *word = atomic_load_explicit(&c->word, memory_order_relaxed);
    return (atomic_load_explicit(&c->key, memory_order_relaxed) ^ *word) == pc;
}

static inline void mprt_code_cache_put(struct mprt_code_cached *c, uintptr_t pc,
                                       uint64_t word)
{
    atomic_store_explicit(&c->word, word, memory_order_relaxed);
    atomic_store_explicit(&c->key, pc ^ word, memory_order_relaxed);
}

#endif
