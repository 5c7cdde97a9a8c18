/* map.c -- open addressing over row numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/map.h"

#include <stdlib.h>

#define CAPACITY_MIN 64u
#define CAPACITY_MAX (UINT32_C(1) << 31)

static uint32_t fold(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

uint32_t mpdata_map_find(const struct mpdata_map *map, uint64_t hash,
                         mpdata_map_equal_fn *equal, const void *rows,
                         const void *key)
{
    const uint32_t folded = fold(hash);

    if (map->capacity == 0)
        return 0;
    for (uint32_t i = folded;; i++) {
        const struct mpdata_map_slot *slot =
            &map->slots[i & (map->capacity - 1)];

        if (slot->ref == 0)
            return 0;
        if (slot->hash == folded && equal(rows, slot->ref - 1, key))
            return slot->ref;
    }
}

static void put(struct mpdata_map_slot *slots, uint32_t capacity,
                struct mpdata_map_slot slot)
{
    uint32_t i = slot.hash;

    while (slots[i & (capacity - 1)].ref != 0)
        i++;
    slots[i & (capacity - 1)] = slot;
}

static bool grow(struct mpdata_map *map)
{
    const uint32_t capacity =
        map->capacity != 0 ? 2 * map->capacity : CAPACITY_MIN;
    struct mpdata_map_slot *slots;

    if (map->capacity >= CAPACITY_MAX)
        return false;
    slots = calloc(capacity, sizeof(*slots));
    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].ref != 0)
            put(slots, capacity, map->slots[i]);
    }
    free(map->slots);
    map->slots = slots;
    map->capacity = capacity;
    return true;
}

bool mpdata_map_add(struct mpdata_map *map, uint64_t hash, uint32_t ref)
{
    if (map->count >= map->capacity / 4 * 3 && !grow(map))
        return false;
    put(map->slots, map->capacity,
        (struct mpdata_map_slot){.hash = fold(hash), .ref = ref});
    map->count++;
    return true;
}

void mpdata_map_fini(struct mpdata_map *map)
{
    free(map->slots);
    *map = (struct mpdata_map){.slots = NULL};
}
