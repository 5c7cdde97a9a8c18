/* hooks.c -- functions of the program that are called for each block.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/hooks.h"
#include "rt/base/options.h"

#include <sanitizer/allocator_interface.h>

#define HOOK_PAIRS_MAX 5 /* as in LLVM's runtime */

typedef void malloc_hook_fn(const volatile void *p, size_t size);
typedef void free_hook_fn(const volatile void *p);

/* Functions are NULL until installed. */
static struct {
    _Atomic(malloc_hook_fn *) malloc_hook;
    _Atomic(free_hook_fn *) free_hook;
} hook_pairs[HOOK_PAIRS_MAX];

/* Number of pairs that are installed or being installed. */
static _Atomic int hook_pair_count;

static void (*_Atomic noter)(const void *p);

/* Weak defaults, which the program may replace. They are not called. */
static void no_malloc_hook(const volatile void *p, size_t size)
{
    (void)p;
    (void)size;
}

static void no_free_hook(const volatile void *p)
{
    (void)p;
}

static int no_ignore_free_hook(const volatile void *p)
{
    (void)p;
    return 0;
}

MPRT_WEAK __attribute__((alias("no_malloc_hook")))
malloc_hook_fn __sanitizer_malloc_hook;
MPRT_WEAK __attribute__((alias("no_free_hook")))
free_hook_fn __sanitizer_free_hook;
MPRT_WEAK __attribute__((alias("no_ignore_free_hook"))) int
__sanitizer_ignore_free_hook(const volatile void *p);

MPRT_INTERFACE int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void *, size_t),
    void (*free_hook)(const volatile void *))
{
    int count = atomic_load(&hook_pair_count);

    if (malloc_hook == NULL || free_hook == NULL)
        return 0;
    do {
        if (count == HOOK_PAIRS_MAX)
            return 0;
    } while (
        !atomic_compare_exchange_weak(&hook_pair_count, &count, count + 1));
    atomic_store(&hook_pairs[count].free_hook, free_hook);
    atomic_store(&hook_pairs[count].malloc_hook, malloc_hook);
    mprt_state_set(MPRT_STATE_HOOKS);
    return count + 1;
}

void mprt_hooks_note_blocks(void (*note)(const void *p))
{
    atomic_store(&noter, note);
    mprt_state_set(MPRT_STATE_HOOKS);
}

void mprt_hooks_init(void)
{
    mprt_state_clear(MPRT_STATE_HOOKS);
    if (__sanitizer_malloc_hook != no_malloc_hook ||
        __sanitizer_free_hook != no_free_hook ||
        __sanitizer_ignore_free_hook != no_ignore_free_hook ||
        atomic_load(&hook_pair_count) != 0 || atomic_load(&noter) != NULL ||
        mprt_options.free_sites || mprt_options.duplicates)
        mprt_state_set(MPRT_STATE_HOOKS);
}

void mprt_hooks_malloc(const void *p, size_t size)
{
    const int count = atomic_load(&hook_pair_count);
    void (*const note)(const void *) = atomic_load(&noter);

    if (__sanitizer_malloc_hook != no_malloc_hook)
        __sanitizer_malloc_hook(p, size);
    for (int i = 0; i < count; i++) {
        malloc_hook_fn *const hook = atomic_load(&hook_pairs[i].malloc_hook);
        if (hook != NULL)
            hook(p, size);
    }
    if (note != NULL)
        note(p);
}

bool mprt_hooks_free(const void *p)
{
    const int count = atomic_load(&hook_pair_count);

    if (__sanitizer_ignore_free_hook != no_ignore_free_hook &&
        __sanitizer_ignore_free_hook(p))
        return true;
    if (__sanitizer_free_hook != no_free_hook)
        __sanitizer_free_hook(p);
    for (int i = 0; i < count; i++) {
        free_hook_fn *const hook = atomic_load(&hook_pairs[i].free_hook);
        if (hook != NULL)
            hook(p);
    }
    return false;
}
