/* code_cache.c -- cache of unwind rules of code addresses, and generations.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/code_cache.h"
#include "rt/base/lock.h"

struct mprt_code_cached mprt_code_cache[MPRT_CODE_CACHE_ENTRIES];
_Atomic uint32_t mprt_code_cache_generation = 1;

struct mprt_lock mprt_code_cache_lock; /* protects changes */
static struct {
    uint32_t last; /* generation while not suspended */
    uint32_t suspended;
    bool must_forget;
} changes = {.last = 1};
static _Thread_local uint32_t suspended_here;

/* Drops the rules of addresses in binaries that can be unloaded. A walk that
 * fills the cache at the same time only adds rules of binaries that its own
 * stack still uses, so they are not unloaded ones. */
static void forget(void)
{
    for (size_t i = 0; i < MPRT_CODE_CACHE_ENTRIES; i++) {
        const union mprt_code_word known = {
            .word = MPRT_LOAD(mprt_code_cache[i].word)};
        if (!known.rule.lasts)
            MPRT_STORE(mprt_code_cache[i].key, 0);
    }
}

static void publish_generation(void)
{
    /* Pairs with the acquire in mprt_code_cache_now(): whoever reads the new
     * generation sees the emptied cache. */
    MPRT_STORE_RELEASE(mprt_code_cache_generation,
                       changes.suspended == 0
                           ? changes.last
                           : mprt_code_cache_last(changes.last));
}

static void begin_epoch(void)
{
    changes.last = mprt_code_cache_last(changes.last) + 1;
    if (changes.last == 0)
        changes.last = 1;
}

static void begin_generation(void)
{
    if (!mprt_code_cache_is_steady(++changes.last))
        begin_epoch();
}

void mprt_code_cache_suspend(void)
{
    suspended_here++;
    mprt_lock_acquire(&mprt_code_cache_lock);
    changes.suspended++;
    publish_generation();
    mprt_lock_release(&mprt_code_cache_lock);
}

void mprt_code_cache_resume(bool must_forget)
{
    suspended_here--;
    mprt_lock_acquire(&mprt_code_cache_lock);
    changes.must_forget = changes.must_forget || must_forget;
    changes.suspended--;
    if (changes.suspended == 0 && changes.must_forget) {
        changes.must_forget = false;
        forget();
        begin_generation();
    }
    publish_generation();
    mprt_lock_release(&mprt_code_cache_lock);
}

/* In a child, every context that a thread remembers is the parent's, so a new
 * epoch begins. */
void mprt_code_cache_in_child(void)
{
    changes.suspended = suspended_here;
    begin_epoch();
    publish_generation();
}
