/* event_live.c -- the blocks of a log by their addresses. The newest beginning
 * at an address is in a list by hash of the address. What else is known of the
 * address is in two others: beginnings that are not the newest and ends that
 * wait, by hash of the address and the time of the beginning; and of those
 * beginnings the last one of each thread, by hash of the address and the
 * thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_live.h"
#include "profdata/base/hash.h"

#include <stdlib.h>

#define LISTS_MIN 1024u
/* Lists per block, so that most look-ups touch one block at most. */
#define SLOTS 2u
/* Blocks of one key are in the order of arrival, up to this number. */
#define ORDERED_MAX 64u

enum { BY_TIME, BY_THREAD, NEWEST };

static struct mpdata_live_block *block_at(const struct mpdata_event_live *live,
                                          uint32_t ref)
{
    return (struct mpdata_live_block *)live->blocks.data + (ref - 1);
}

/* -- lists ----------------------------------------------------------------- */

/* The list must exist. */
static uint32_t *list_of(const struct mpdata_event_live *live, unsigned by,
                         const struct mpdata_live_block *b)
{
    const uint64_t key = by == BY_TIME     ? b->ns
                         : by == BY_THREAD ? b->thread
                                           : 0;

    return &live->lists[by].first[mpdata_hash_words(b->address, key) &
                                  (live->lists[by].count - 1)];
}

/* The lists NEWEST and BY_TIME have no blocks in common. */
static uint32_t *next_of(struct mpdata_live_block *b, unsigned by)
{
    return &b->next[by == BY_THREAD];
}

static uint32_t *before_of(struct mpdata_live_block *b, unsigned by)
{
    return &b->before[by == BY_THREAD];
}

static void put(const struct mpdata_event_live *live, unsigned by, uint32_t ref)
{
    struct mpdata_live_block *const b = block_at(live, ref);
    uint32_t *const list = list_of(live, by, b);
    uint32_t before = 0;
    uint32_t next = *list;

    for (unsigned i = 0; next != 0 && i < ORDERED_MAX; i++) {
        before = next;
        next = *next_of(block_at(live, next), by);
    }
    *before_of(b, by) = before;
    *next_of(b, by) = next;
    if (next != 0)
        *before_of(block_at(live, next), by) = ref;
    *(before != 0 ? next_of(block_at(live, before), by) : list) = ref;
    b->is_in |= (uint8_t)(1u << by);
}

static bool is_in(const struct mpdata_live_block *b, unsigned by)
{
    return (b->is_in >> by & 1) != 0;
}

static bool grow(struct mpdata_event_live *live, unsigned by)
{
    struct mpdata_live_lists *const lists = &live->lists[by];
    const uint32_t count = lists->count != 0 ? 2 * lists->count : LISTS_MIN;
    uint32_t *const first = calloc(count, sizeof(*first));

    if (first == NULL)
        return false;
    free(lists->first);
    lists->first = first;
    lists->count = count;
    for (uint32_t ref = 1; ref <= live->blocks.count; ref++) {
        if (is_in(block_at(live, ref), by))
            put(live, by, ref);
    }
    return true;
}

static bool link_in(struct mpdata_event_live *live, unsigned by, uint32_t ref)
{
    struct mpdata_live_lists *const lists = &live->lists[by];

    /* Lists that cannot grow get longer. */
    if (lists->blocks >= lists->count / SLOTS && !grow(live, by) &&
        lists->count == 0)
        return false;
    lists->blocks++;
    put(live, by, ref);
    return true;
}

static void link_out(struct mpdata_event_live *live, unsigned by, uint32_t ref)
{
    struct mpdata_live_block *const b = block_at(live, ref);
    const uint32_t next = *next_of(b, by);
    const uint32_t before = *before_of(b, by);

    if (!is_in(b, by))
        return;
    b->is_in &= (uint8_t) ~(1u << by);
    live->lists[by].blocks--;
    if (next != 0)
        *before_of(block_at(live, next), by) = before;
    *(before != 0 ? next_of(block_at(live, before), by)
                  : list_of(live, by, b)) = next;
}

/* The first beginning, or end that waits, with the key; 0: none. */
static uint32_t find(const struct mpdata_event_live *live, unsigned by,
                     const struct mpdata_live_block *key, bool waits)
{
    if (live->lists[by].blocks == 0)
        return 0;
    for (uint32_t ref = *list_of(live, by, key); ref != 0;
         ref = *next_of(block_at(live, ref), by)) {
        const struct mpdata_live_block *const b = block_at(live, ref);

        if (b->address == key->address && (b->end != NULL) == waits &&
            (by == NEWEST ||
             (by == BY_TIME ? b->ns == key->ns : b->thread == key->thread)))
            return ref;
    }
    return 0;
}

/* -- blocks ---------------------------------------------------------------- */

static struct mpdata_live_block take(struct mpdata_event_live *live,
                                     uint32_t ref)
{
    struct mpdata_live_block *const b = block_at(live, ref);
    const struct mpdata_live_block taken = *b;

    for (unsigned by = BY_TIME; by <= NEWEST; by++)
        link_out(live, by, ref);
    b->next[0] = live->free;
    b->end = NULL;
    live->free = ref;
    return taken;
}

/* Returns the place of the block, or 0 without memory. */
static uint32_t keep(struct mpdata_event_live *live, unsigned by,
                     const struct mpdata_live_block *block)
{
    const uint32_t ref = live->free != 0 ? live->free : live->blocks.count + 1;

    if (live->free != 0)
        live->free = block_at(live, ref)->next[0];
    else if (mpdata_vec_push(&live->blocks) == NULL)
        return 0;
    *block_at(live, ref) = *block;
    return link_in(live, by, ref) ? ref : 0;
}

/* A newer block begins at the address, of this thread. */
static bool make_older(struct mpdata_event_live *live, uint32_t ref,
                       uint32_t thread)
{
    link_out(live, NEWEST, ref);
    return link_in(live, BY_TIME, ref) &&
           /* Otherwise another thread ended it. */
           (block_at(live, ref)->thread == thread ||
            link_in(live, BY_THREAD, ref));
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
    ref = find(live, NEWEST, block, false);
    *failed = (ref != 0 && !make_older(live, ref, block->thread)) ||
              keep(live, NEWEST, block) == 0;
    return NULL;
}

/* The beginning that belongs to the end, or 0. */
static uint32_t begun_by(const struct mpdata_event_live *live,
                         const struct mpdata_live_block *key, bool is_elsewhere)
{
    const uint32_t ref = find(live, NEWEST, key, false);

    if (ref != 0 && (is_elsewhere ? block_at(live, ref)->ns == key->ns
                                  : block_at(live, ref)->thread == key->thread))
        return ref;
    return find(live, is_elsewhere ? BY_TIME : BY_THREAD, key, false);
}

bool mpdata_event_live_end(struct mpdata_event_live *live,
                           const struct mpdata_log_event *end,
                           struct mpdata_live_block *block, bool *failed)
{
    const bool is_elsewhere = (end->flags & MPROF_LOG_FL_ELSEWHERE) != 0;
    struct mpdata_live_block key = {
        .address = end->at, .ns = end->birth_ns, .thread = end->thread};
    const uint32_t ref = begun_by(live, &key, is_elsewhere);

    if (ref != 0) {
        *block = take(live, ref);
        return true;
    }
    if (!is_elsewhere)
        return false;
    const uint32_t kept = keep(live, BY_TIME, &key);
    if (kept == 0 || (key.end = malloc(sizeof(*key.end))) == NULL) {
        *failed = true;
        return false;
    }
    *key.end = *end;
    block_at(live, kept)->end = key.end;
    live->waiting++;
    return false;
}

/* -- cache ----------------------------------------------------------------- */

/* In one function: gcc removes calls of a static one that does nothing else. */
void mpdata_event_live_prepare(const struct mpdata_event_live *live,
                               const struct mpdata_log_event *later,
                               const struct mpdata_log_event *soon)
{
    struct mpdata_live_block key = {.address = later->at};

    if (live->lists[NEWEST].count == 0)
        return;
    __builtin_prefetch(list_of(live, NEWEST, &key), 1);
    key.address = soon->at;
    const uint32_t ref = *list_of(live, NEWEST, &key);
    if (ref != 0)
        __builtin_prefetch(block_at(live, ref), 1);
}

/* -- the end --------------------------------------------------------------- */

static bool is_begun(const struct mpdata_live_block *b)
{
    return b->is_in != 0 && b->end == NULL;
}

void mpdata_event_live_finish(struct mpdata_event_live *live)
{
    for (uint32_t ref = 1; ref <= live->blocks.count; ref++) {
        const struct mpdata_live_block *const b = block_at(live, ref);

        if (!is_in(b, BY_TIME) || b->end != NULL)
            continue;
        const uint32_t newest = find(live, NEWEST, b, false);
        if (newest != 0 && block_at(live, newest)->ns > b->ns)
            continue;
        link_out(live, BY_TIME, ref);
        if (newest != 0) {
            link_out(live, NEWEST, newest);
            (void)link_in(live, BY_TIME, newest); /* there are such lists */
        }
        (void)link_in(live, NEWEST, ref);
    }
}

struct mpdata_live_block *
mpdata_event_live_find(const struct mpdata_event_live *live, uint64_t address)
{
    const struct mpdata_live_block key = {.address = address};
    const uint32_t ref = find(live, NEWEST, &key, false);

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
    for (unsigned by = BY_TIME; by <= NEWEST; by++)
        free(live->lists[by].first);
    *live = (struct mpdata_event_live){.free = 0};
}
