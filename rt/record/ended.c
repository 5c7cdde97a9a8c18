/* ended.c -- lives of ended blocks on their way to the MIBs.
 *
 * Only its thread appends to a buffer. The thread, or another one that makes a
 * snapshot, adds the lives under the buffer's lock; only the thread empties the
 * buffer. A life that was added has context 0, so if a thread dies while it
 * adds lives, a dump adds the others.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/ended.h"
#include "rt/base/memory.h"
#include "rt/base/thread.h"
#include "rt/stack/depot.h"

#define ROOM 255
#define LIST_BITS 6

struct life {
    struct mprof_block_life life;
    uint32_t context; /* 0: added */
};

struct mprt_ended {
    struct mprt_lock lock;
    _Atomic uint32_t used;
    struct life lives[ROOM] __attribute__((aligned(64)));
};
_Static_assert(sizeof(struct mprt_ended) == 16384, "whole pages");

/* The first life is not yet added. Adds it and the later lives of its context.
 * next: links lives whose contexts have one hash. */
static void add_context(struct mprt_ended *ended, uint32_t first,
                        const uint8_t next[ROOM + 1])
{
    const uint32_t context = ended->lives[first - 1].context;
    unsigned map;
    struct mprt_context *const row = mprt_mibmap_lock(context, &map);

    for (uint32_t i = first; i != 0; i = next[i]) {
        struct life *const l = &ended->lives[i - 1];

        if (l->context != context)
            continue;
        mprt_mibmap_forget_peak(row, &l->life);
        mprt_mibmap_add_any(row, map, &l->life);
        l->context = 0;
    }
    mprt_lock_release_brief(&row->lock);
}

/* Adds the first `count` lives. Lives are numbered from 1. */
static MPRT_NOINLINE void add_lives(struct mprt_ended *ended, uint32_t count)
{
    uint8_t lists[1 << LIST_BITS] = {0};
    uint8_t next[ROOM + 1];

    for (uint32_t i = count; i > 0; i--) {
        uint8_t *const list =
            &lists[ended->lives[i - 1].context * UINT32_C(0x9e3779b1) >>
                   (32 - LIST_BITS)];

        next[i] = *list;
        *list = (uint8_t)i;
    }
    for (uint32_t i = 1; i <= count; i++) {
        /* After a fork, lives of the parent may be here. */
        if (ended->lives[i - 1].context >= mprt_depot_first_id)
            add_context(ended, i, next);
    }
}

/* The thread's buffer, made on first use; NULL without memory. */
static struct mprt_ended *buffer_of(struct mprt_thread *t)
{
    struct mprt_ended *ended = MPRT_LOAD(t->ended);

    if (MPROF_LIKELY(ended != NULL))
        return ended;
    ended = mprt_memory_map(sizeof(*ended));
    /* Pairs with the acquire in mprt_ended_add_all(). */
    MPRT_STORE_RELEASE(t->ended, ended);
    return ended;
}

static MPRT_NOINLINE void empty(struct mprt_ended *ended)
{
    mprt_lock_acquire_brief(&ended->lock);
    add_lives(ended, ROOM);
    MPRT_STORE(ended->used, 0);
    mprt_lock_release_brief(&ended->lock);
}

void mprt_ended_add(struct mprt_thread *t, uint32_t context,
                    const struct mprof_block_life *life)
{
    struct mprt_ended *const ended = t != NULL ? buffer_of(t) : NULL;

    if (MPROF_UNLIKELY(ended == NULL)) {
        mprt_mibmap_add(context, life, 0, NULL, NULL, 0);
        return;
    }
    uint32_t used = MPRT_LOAD(ended->used);
    if (MPROF_UNLIKELY(used == ROOM)) {
        empty(ended);
        used = 0;
    }
    ended->lives[used] = (struct life){*life, context};
    /* Pairs with the acquire in mprt_ended_add_all(). */
    MPRT_STORE_RELEASE(ended->used, used + 1);
}

void mprt_ended_add_all(void)
{
    MPRT_EACH_THREAD(t) {
        struct mprt_ended *const ended = MPRT_LOAD_ACQUIRE(t->ended);

        if (ended == NULL)
            continue;
        mprt_lock_acquire_brief(&ended->lock);
        add_lives(ended, MPRT_LOAD_ACQUIRE(ended->used));
        mprt_lock_release_brief(&ended->lock);
    }
}

void mprt_ended_in_child(void)
{
    MPRT_EACH_THREAD(t) {
        struct mprt_ended *const ended = MPRT_LOAD(t->ended);

        if (ended != NULL)
            mprt_lock_reset(&ended->lock);
    }
}
