/* event_live.c -- the blocks of a log by their addresses: lists by hash, in the
 * order of arrival.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_live.h"
#include "profdata/base/hash.h"

#include <stdlib.h>

#define LISTS_MIN 1024u
/* Blocks at one address without an end. */
#define WAITING_MAX 64u

static struct mpdata_live_block *block_at(const struct mpdata_event_live *live,
                                          uint32_t ref)
{
    return (struct mpdata_live_block *)live->blocks.data + (ref - 1);
}

static uint32_t *list_of(const struct mpdata_event_live *live, uint64_t address)
{
    return &live->lists[mpdata_hash_words(address, 0) & (live->list_count - 1)];
}

/* The place that refers to the last beginning at the address that fits, or
 * NULL.
 */
static uint32_t *find_begin(const struct mpdata_event_live *live,
                            uint64_t address,
                            bool (*fits)(const struct mpdata_live_block *b,
                                         const struct mpdata_log_event *end),
                            const struct mpdata_log_event *end)
{
    uint32_t *found = NULL;

    if (live->list_count == 0)
        return NULL;
    for (uint32_t *place = list_of(live, address); *place != 0;
         place = &block_at(live, *place)->next) {
        const struct mpdata_live_block *const b = block_at(live, *place);

        if (b->address == address && b->end == NULL && fits(b, end))
            found = place;
    }
    return found;
}

static bool fits_thread(const struct mpdata_live_block *b,
                        const struct mpdata_log_event *end)
{
    return b->thread == end->thread;
}

static bool fits_time(const struct mpdata_live_block *b,
                      const struct mpdata_log_event *end)
{
    return b->ns == end->birth_ns;
}

static bool fits_any(const struct mpdata_live_block *b,
                     const struct mpdata_log_event *end)
{
    (void)b;
    (void)end;
    return true;
}

/* The place that refers to the end that waits for the beginning, or NULL. */
static uint32_t *find_waiting(const struct mpdata_event_live *live,
                              const struct mpdata_live_block *block)
{
    if (live->waiting == 0)
        return NULL;
    for (uint32_t *place = list_of(live, block->address); *place != 0;
         place = &block_at(live, *place)->next) {
        const struct mpdata_live_block *const b = block_at(live, *place);

        if (b->address == block->address && b->end != NULL &&
            b->end->birth_ns == block->ns)
            return place;
    }
    return NULL;
}

static uint32_t *find_end(const struct mpdata_event_live *live,
                          uint64_t address)
{
    uint32_t *place = list_of(live, address);

    while (*place != 0)
        place = &block_at(live, *place)->next;
    return place;
}

/* Doubles the lists; the order within a list stays. */
static bool grow(struct mpdata_event_live *live)
{
    const struct mpdata_event_live old = *live;

    live->list_count = old.list_count != 0 ? 2 * old.list_count : LISTS_MIN;
    live->lists = calloc(live->list_count, sizeof(*live->lists));
    if (live->lists == NULL) {
        *live = old;
        return false;
    }
    for (uint32_t i = 0; i < old.list_count; i++) {
        for (uint32_t ref = old.lists[i], next; ref != 0; ref = next) {
            struct mpdata_live_block *const b = block_at(live, ref);

            next = b->next;
            b->next = 0;
            *find_end(live, b->address) = ref;
        }
    }
    free(old.lists);
    return true;
}

/* Removes the block that the place refers to. */
static struct mpdata_live_block take(struct mpdata_event_live *live,
                                     uint32_t *place)
{
    const uint32_t ref = *place;
    struct mpdata_live_block *const b = block_at(live, ref);
    const struct mpdata_live_block taken = *b;

    *place = b->next;
    b->next = live->free;
    b->end = NULL;
    live->free = ref;
    live->count--;
    return taken;
}

/* Of the blocks that wait at an address, the ends of some may be lost. Drops
 * the first one if there are too many. */
static void drop_surplus(struct mpdata_event_live *live, uint64_t address)
{
    uint32_t *first = NULL;
    unsigned count = 0;

    for (uint32_t *place = list_of(live, address); *place != 0;
         place = &block_at(live, *place)->next) {
        if (block_at(live, *place)->address != address)
            continue;
        first = first != NULL ? first : place;
        count++;
    }
    if (count < WAITING_MAX)
        return;
    struct mpdata_log_event *const end = take(live, first).end;
    live->waiting -= end != NULL;
    free(end);
}

static bool keep(struct mpdata_event_live *live,
                 const struct mpdata_live_block *block)
{
    if (live->count == live->list_count && !grow(live))
        return false;
    drop_surplus(live, block->address);
    uint32_t ref = live->free;
    if (ref != 0) {
        live->free = block_at(live, ref)->next;
    } else {
        if (mpdata_vec_push(&live->blocks) == NULL)
            return false;
        ref = live->blocks.count;
    }
    *block_at(live, ref) = *block;
    block_at(live, ref)->next = 0;
    *find_end(live, block->address) = ref;
    live->count++;
    return true;
}

struct mpdata_log_event *
mpdata_event_live_begin(struct mpdata_event_live *live,
                        const struct mpdata_live_block *block, bool *failed)
{
    uint32_t *const place = find_waiting(live, block);

    if (place == NULL) {
        *failed = !keep(live, block);
        return NULL;
    }
    live->waiting--;
    return take(live, place).end;
}

bool mpdata_event_live_end(struct mpdata_event_live *live,
                           const struct mpdata_log_event *end,
                           struct mpdata_live_block *block, bool *failed)
{
    const bool is_elsewhere = (end->flags & MPROF_LOG_FL_ELSEWHERE) != 0;
    uint32_t *const place =
        find_begin(live, end->at, is_elsewhere ? fits_time : fits_thread, end);
    struct mpdata_log_event *copy;

    if (place != NULL) {
        *block = take(live, place);
        return true;
    }
    if (!is_elsewhere)
        return false;
    copy = malloc(sizeof(*copy));
    *failed = copy == NULL;
    if (copy == NULL)
        return false;
    *copy = *end;
    *failed = !keep(
        live, &(struct mpdata_live_block){.address = end->at, .end = copy});
    if (*failed)
        free(copy);
    else
        live->waiting++;
    return false;
}

struct mpdata_live_block *
mpdata_event_live_find(const struct mpdata_event_live *live, uint64_t address)
{
    const uint32_t *const place = find_begin(live, address, fits_any, NULL);

    return place != NULL ? block_at(live, *place) : NULL;
}

void mpdata_event_live_visit(const struct mpdata_event_live *live,
                             void (*visit)(void *context,
                                           const struct mpdata_live_block *b),
                             void *context)
{
    for (uint32_t i = 0; i < live->list_count; i++) {
        for (uint32_t ref = live->lists[i]; ref != 0;
             ref = block_at(live, ref)->next) {
            if (block_at(live, ref)->end == NULL)
                visit(context, block_at(live, ref));
        }
    }
}

void mpdata_event_live_fini(struct mpdata_event_live *live)
{
    for (uint32_t i = 0; i < live->list_count; i++) {
        for (uint32_t ref = live->lists[i]; ref != 0;
             ref = block_at(live, ref)->next)
            free(block_at(live, ref)->end);
    }
    mpdata_vec_fini(&live->blocks);
    free(live->lists);
    *live = (struct mpdata_event_live){.lists = NULL};
}
