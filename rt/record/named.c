/* named.c -- named blocks, in a short table.
 *
 * A block that a signal handler frees inside the runtime stays in the table;
 * the next block at its place is then named, too.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/named.h"

#include <stdatomic.h>

#define NAMED_MAX 256

static _Atomic uintptr_t blocks[NAMED_MAX];
/* Number of entries that were ever in use. */
static _Atomic size_t used;

static _Atomic uintptr_t *find(uintptr_t p)
{
    const size_t count = MPRT_LOAD(used);

    for (size_t i = 0; i < count; i++) {
        if (MPRT_LOAD(blocks[i]) == p)
            return &blocks[i];
    }
    return NULL;
}

static void raise_used(size_t count)
{
    size_t before = MPRT_LOAD(used);

    while (before < count && !MPRT_CAS(used, &before, count))
        ;
}

bool mprt_named_add(uintptr_t p)
{
    if (find(p) != NULL)
        return true;
    for (size_t i = 0; i < NAMED_MAX; i++) {
        uintptr_t free_slot = 0;

        if (atomic_compare_exchange_strong(&blocks[i], &free_slot, p)) {
            raise_used(i + 1);
            return true;
        }
    }
    return false;
}

bool mprt_named_has(uintptr_t p)
{
    return find(p) != NULL;
}

bool mprt_named_take(uintptr_t p)
{
    _Atomic uintptr_t *const slot = find(p);

    return slot != NULL && atomic_compare_exchange_strong(slot, &p, 0);
}
