/* frameset.c -- the distinct code addresses of a dump, in a hash table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/rawsections.h"
#include "rt/base/mapbuf.h"

static uint32_t slot_of(uintptr_t pc, uint32_t mask)
{
    return (uint32_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;
}

static uint32_t slots_of(const struct mprt_frameset *set)
{
    return 2 * set->capacity;
}

void mprt_frameset_free(struct mprt_frameset *set)
{
    mprt_mapbuf_free_array(set->frames, set->capacity, sizeof(*set->frames));
    mprt_mapbuf_free_array(set->slots, slots_of(set), sizeof(*set->slots));
    *set = (struct mprt_frameset){.count = 0};
}

static bool grow_set(struct mprt_frameset *set)
{
    struct mprt_frameset bigger = {
        .count = set->count,
        .capacity = set->capacity != 0 ? 2 * set->capacity : 4096};
    const uint32_t mask = slots_of(&bigger) - 1;

    bigger.frames =
        mprt_mapbuf_new_array(bigger.capacity, sizeof(*bigger.frames));
    bigger.slots =
        mprt_mapbuf_new_array(slots_of(&bigger), sizeof(*bigger.slots));
    if (bigger.frames == NULL || bigger.slots == NULL) {
        mprt_frameset_free(&bigger);
        return false;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t slot = slot_of(set->frames[i].pc, mask);

        bigger.frames[i] = set->frames[i];
        while (bigger.slots[slot] != 0)
            slot = (slot + 1) & mask;
        bigger.slots[slot] = i + 1;
    }
    mprt_frameset_free(set);
    *set = bigger;
    return true;
}

/* The slot with the address, or the free slot where it belongs. */
static uint32_t *find_slot(const struct mprt_frameset *set, uintptr_t pc)
{
    const uint32_t mask = slots_of(set) - 1;
    uint32_t slot = slot_of(pc, mask);

    while (set->slots[slot] != 0 && set->frames[set->slots[slot] - 1].pc != pc)
        slot = (slot + 1) & mask;
    return &set->slots[slot];
}

bool mprt_frameset_put(struct mprt_frameset *set, uintptr_t pc,
                       uint32_t *number)
{
    if (set->count == set->capacity && !grow_set(set))
        return false;
    uint32_t *const slot = find_slot(set, pc);
    if (*slot == 0) {
        set->frames[set->count].pc = pc;
        *slot = ++set->count;
    }
    *number = *slot - 1;
    return true;
}

uint32_t mprt_frameset_find(const struct mprt_frameset *set, uintptr_t pc)
{
    return *find_slot(set, pc) - 1;
}
