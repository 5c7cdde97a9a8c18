/* event_live.c -- the blocks of a log by their addresses: lists by hash of the
 * address and the time of the beginning, and of the address and the thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_live.h"
#include "profdata/base/hash.h"

#include <stdlib.h>

#define LISTS_MIN 1024u
/* Lists per block, so that most look-ups touch one block at most. */
#define SLOTS 4u
/* Blocks of one key are in the order of arrival, up to this number. */
#define ORDERED_MAX 64u

enum { BY_TIME, BY_THREAD };

static struct mpdata_live_block *block_at(const struct mpdata_event_live *live,
                                          uint32_t ref)
{
    return (struct mpdata_live_block *)live->blocks.data + (ref - 1);
}

/* -- lists ----------------------------------------------------------------- */

static uint32_t *list_of(const struct mpdata_event_live *live, unsigned by,
                         const struct mpdata_live_block *b)
{
    const uint64_t hash =
        mpdata_hash_words(b->address, by == BY_TIME ? b->ns : b->thread);

    return &live->lists[by][hash & (live->list_count - 1)];
}

static void link_in(struct mpdata_event_live *live, unsigned by, uint32_t ref)
{
    struct mpdata_live_block *const b = block_at(live, ref);
    uint32_t *const list = list_of(live, by, b);
    uint32_t before = 0;
    uint32_t next;

    b->is_in[by] = true;
    if (by == BY_TIME && !live->has_times)
        return;
    next = *list;
    for (unsigned i = 0; next != 0 && i < ORDERED_MAX; i++) {
        before = next;
        next = block_at(live, next)->next[by];
    }
    b->before[by] = before;
    b->next[by] = next;
    if (next != 0)
        block_at(live, next)->before[by] = ref;
    *(before != 0 ? &block_at(live, before)->next[by] : list) = ref;
}

static void link_out(struct mpdata_event_live *live, unsigned by, uint32_t ref)
{
    struct mpdata_live_block *const b = block_at(live, ref);

    if (!b->is_in[by])
        return;
    b->is_in[by] = false;
    if (by == BY_TIME && !live->has_times)
        return;
    if (b->next[by] != 0)
        block_at(live, b->next[by])->before[by] = b->before[by];
    *(b->before[by] != 0 ? &block_at(live, b->before[by])->next[by]
                         : list_of(live, by, b)) = b->next[by];
}

/* The first beginning, or end that waits, with the key; 0: none. */
static uint32_t find(const struct mpdata_event_live *live, unsigned by,
                     const struct mpdata_live_block *key, bool waits)
{
    if (live->list_count == 0)
        return 0;
    for (uint32_t ref = *list_of(live, by, key); ref != 0;
         ref = block_at(live, ref)->next[by]) {
        const struct mpdata_live_block *const b = block_at(live, ref);

        if (b->address == key->address && (b->end != NULL) == waits &&
            (by == BY_TIME ? b->ns == key->ns : b->thread == key->thread))
            return ref;
    }
    return 0;
}

static void link_all(struct mpdata_event_live *live, unsigned by)
{
    for (uint32_t ref = 1; ref <= live->blocks.count; ref++) {
        if (block_at(live, ref)->is_in[by])
            link_in(live, by, ref);
    }
}

/* Makes lists for more blocks. */
static bool grow(struct mpdata_event_live *live)
{
    const uint32_t count =
        live->list_count != 0 ? 2 * live->list_count : LISTS_MIN;
    uint32_t *const by_time = calloc(count, sizeof(*by_time));
    uint32_t *const by_thread = calloc(count, sizeof(*by_thread));

    if (by_time == NULL || by_thread == NULL) {
        free(by_time);
        free(by_thread);
        return false;
    }
    free(live->lists[BY_TIME]);
    free(live->lists[BY_THREAD]);
    live->lists[BY_TIME] = by_time;
    live->lists[BY_THREAD] = by_thread;
    live->list_count = count;
    link_all(live, BY_TIME);
    link_all(live, BY_THREAD);
    return true;
}

/* -- blocks ---------------------------------------------------------------- */

static struct mpdata_live_block take(struct mpdata_event_live *live,
                                     uint32_t ref)
{
    struct mpdata_live_block *const b = block_at(live, ref);
    const struct mpdata_live_block taken = *b;

    link_out(live, BY_TIME, ref);
    link_out(live, BY_THREAD, ref);
    b->next[BY_TIME] = live->free;
    b->end = NULL;
    live->free = ref;
    live->count--;
    return taken;
}

/* Returns the place of the block, or 0 without memory. */
static uint32_t keep(struct mpdata_event_live *live,
                     const struct mpdata_live_block *block)
{
    uint32_t ref = live->free;

    if (live->count >= live->list_count / SLOTS && !grow(live))
        return 0;
    if (ref != 0)
        live->free = block_at(live, ref)->next[BY_TIME];
    else if (mpdata_vec_push(&live->blocks) != NULL)
        ref = live->blocks.count;
    else
        return 0;
    *block_at(live, ref) = *block;
    link_in(live, BY_TIME, ref);
    live->count++;
    return ref;
}

struct mpdata_log_event *
mpdata_event_live_begin(struct mpdata_event_live *live,
                        const struct mpdata_live_block *block, bool *failed)
{
    uint32_t ref = live->waiting != 0 ? find(live, BY_TIME, block, true) : 0;

    if (ref != 0) {
        live->waiting--;
        return take(live, ref).end;
    }
    ref = find(live, BY_THREAD, block, false);
    /* Another thread ended it. */
    if (ref != 0)
        link_out(live, BY_THREAD, ref);
    ref = keep(live, block);
    *failed = ref == 0;
    if (ref != 0)
        link_in(live, BY_THREAD, ref);
    return NULL;
}

bool mpdata_event_live_end(struct mpdata_event_live *live,
                           const struct mpdata_log_event *end,
                           struct mpdata_live_block *block, bool *failed)
{
    const bool is_elsewhere = (end->flags & MPROF_LOG_FL_ELSEWHERE) != 0;
    struct mpdata_live_block key = {
        .address = end->at, .ns = end->birth_ns, .thread = end->thread};

    if (is_elsewhere && !live->has_times) {
        live->has_times = true;
        link_all(live, BY_TIME);
    }
    const uint32_t ref =
        find(live, is_elsewhere ? BY_TIME : BY_THREAD, &key, false);

    if (ref != 0) {
        *block = take(live, ref);
        return true;
    }
    if (!is_elsewhere)
        return false;
    key.end = malloc(sizeof(*key.end));
    *failed = key.end == NULL;
    if (key.end == NULL)
        return false;
    *key.end = *end;
    *failed = keep(live, &key) == 0;
    if (*failed)
        free(key.end);
    else
        live->waiting++;
    return false;
}

/* -- cache ----------------------------------------------------------------- */

/* In one function: gcc removes calls of a static one that does nothing else. */
void mpdata_event_live_prepare(const struct mpdata_event_live *live,
                               const struct mpdata_log_event *e, unsigned stage)
{
    const bool is_end = e->kind == MPROF_LOG_EVENT_FREE;
    const bool is_elsewhere = (e->flags & MPROF_LOG_FL_ELSEWHERE) != 0;
    const bool is_needed[] = {[BY_TIME] =
                                  live->has_times && (is_elsewhere || !is_end),
                              [BY_THREAD] = !is_elsewhere};
    const struct mpdata_live_block key = {.address = e->at,
                                          .ns = is_end ? e->birth_ns : e->ns,
                                          .thread = e->thread};

    if (live->list_count == 0 || e->kind > MPROF_LOG_EVENT_FREE)
        return;
    for (unsigned by = BY_TIME; by <= BY_THREAD; by++) {
        const uint32_t *const list = list_of(live, by, &key);

        if (!is_needed[by])
            continue;
        if (stage == 0)
            __builtin_prefetch(list);
        else if (*list != 0 && stage == 1)
            __builtin_prefetch(block_at(live, *list));
        else if (*list != 0 && is_end)
            __builtin_prefetch(list_of(live, 1 - by, block_at(live, *list)));
    }
}

/* -- the end --------------------------------------------------------------- */

static bool is_begun(const struct mpdata_live_block *b)
{
    return b->is_in[BY_TIME] && b->end == NULL;
}

void mpdata_event_live_finish(struct mpdata_event_live *live)
{
    for (uint32_t ref = 1; ref <= live->blocks.count; ref++) {
        struct mpdata_live_block *const b = block_at(live, ref);

        link_out(live, BY_THREAD, ref);
        b->thread = 0;
        if (!is_begun(b))
            continue;
        const uint32_t other = find(live, BY_THREAD, b, false);
        if (other != 0 && block_at(live, other)->ns > b->ns)
            continue;
        if (other != 0)
            link_out(live, BY_THREAD, other);
        link_in(live, BY_THREAD, ref);
    }
}

struct mpdata_live_block *
mpdata_event_live_find(const struct mpdata_event_live *live, uint64_t address)
{
    const struct mpdata_live_block key = {.address = address};
    const uint32_t ref = find(live, BY_THREAD, &key, false);

    return ref != 0 ? block_at(live, ref) : NULL;
}

void mpdata_event_live_visit(const struct mpdata_event_live *live,
                             void (*visit)(void *context,
                                           const struct mpdata_live_block *b),
                             void *context)
{
    for (uint32_t ref = 1; ref <= live->blocks.count; ref++) {
        if (is_begun(block_at(live, ref)))
            visit(context, block_at(live, ref));
    }
}

void mpdata_event_live_fini(struct mpdata_event_live *live)
{
    for (uint32_t ref = 1; ref <= live->blocks.count; ref++)
        free(block_at(live, ref)->end);
    mpdata_vec_fini(&live->blocks);
    free(live->lists[BY_TIME]);
    free(live->lists[BY_THREAD]);
    *live = (struct mpdata_event_live){.count = 0};
}
