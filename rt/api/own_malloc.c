/* own_malloc.c -- blocks of the program's own allocation functions: calls by
 * code compiled with -memprof-own-malloc (shared/abi.h), and hooks of an
 * allocator that is linked statically.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/functions.h"
#include "rt/base/options.h"
#include "rt/base/state.h"
#include "rt/record/pool.h"

MPRT_INTERFACE uint64_t __memprof_own_free_v1(const char *pool, const void *p);
MPRT_INTERFACE void __memprof_own_alloc_v1(const char *pool, const void *p,
                                           uint64_t size, const void *old,
                                           uint64_t old_size);

/* A hash of the name (FNV-1a). The highest bit says that it is no address, so
 * it is none of the pools that the program makes. */
static uintptr_t pool_of(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash | UINT64_C(1) << 63;
}

uint64_t __memprof_own_free_v1(const char *pool, const void *p)
{
    mprt_state_require();
    return p != NULL ? mprt_pool_free(pool_of(pool), (uintptr_t)p) : 0;
}

/* Where a block could not be resized, it is one of this call. */
void __memprof_own_alloc_v1(const char *pool, const void *p, uint64_t size,
                            const void *old, uint64_t old_size)
{
    mprt_state_require();
    if (p == NULL && size != 0 && old_size != 0) {
        p = old;
        size = old_size;
    }
    if (p != NULL)
        mprt_pool_alloc(pool_of(pool), pool, (uintptr_t)p, size, MPRT_CALLER());
}

/* -- tcmalloc's hooks ------------------------------------------------------ */

/* Of gperftools (gperftools/malloc_hook_c.h). tcmalloc calls each hook for each
 * block. */
extern __attribute__((weak)) int
MallocHook_AddNewHook(void (*hook)(const void *p, size_t size));
extern __attribute__((weak)) int
MallocHook_AddDeleteHook(void (*hook)(const void *p));

static const char tcmalloc[] = "tcmalloc";

static void add_block(const void *p, size_t size)
{
    if (p != NULL)
        mprt_pool_alloc(pool_of(tcmalloc), tcmalloc, (uintptr_t)p, size,
                        MPRT_CALLER());
}

static void end_block(const void *p)
{
    if (p != NULL)
        mprt_pool_free(pool_of(tcmalloc), (uintptr_t)p);
}

void mprt_own_malloc_init(void)
{
    if (!mprt_options.tcmalloc || mprt_options.sample != 0 ||
        !atomic_load(&mprt_state_other_malloc) ||
        MallocHook_AddNewHook == NULL || MallocHook_AddDeleteHook == NULL)
        return;
    /* Without the hook for ends all blocks would seem alive. */
    if (MallocHook_AddDeleteHook(end_block) != 0)
        MallocHook_AddNewHook(add_block);
}
