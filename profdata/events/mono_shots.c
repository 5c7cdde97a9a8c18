/* mono_shots.c -- which objects the heapshots of a log of Mono's found alive.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/mono_shots.h"

void mpdata_mono_shots_init(struct mpdata_mono_shots *shots)
{
    *shots = (struct mpdata_mono_shots){.count = 0};
    mpdata_set_init(&shots->objects,
                    MPDATA_SET_KEY(struct mpdata_mono_object, address),
                    sizeof(struct mpdata_mono_object));
}

void mpdata_mono_shots_fini(struct mpdata_mono_shots *shots)
{
    mpdata_set_fini(&shots->objects);
}

/* The object that is at the address now, or NULL. */
static struct mpdata_mono_object *find(const struct mpdata_mono_shots *shots,
                                       uint64_t address)
{
    const struct mpdata_mono_object key = {.address = address};
    const uint32_t at = mpdata_set_find(&shots->objects, &key);
    struct mpdata_mono_object *const o =
        at != 0
            ? (struct mpdata_mono_object *)shots->objects.rows.data + (at - 1)
            : NULL;

    return o != NULL && o->row != MPDATA_MONO_NO_OBJECT ? o : NULL;
}

/* What was at the address ended. */
static bool put(struct mpdata_mono_shots *shots,
                const struct mpdata_mono_object *object)
{
    const uint32_t at = mpdata_set_add(&shots->objects, object, NULL);

    if (at == 0)
        return false;
    ((struct mpdata_mono_object *)shots->objects.rows.data)[at - 1] = *object;
    return true;
}

bool mpdata_mono_shots_alloc(struct mpdata_mono_shots *shots,
                             const struct mpdata_mono_alloc *alloc)
{
    const struct mpdata_mono_object object = {.address = alloc->address,
                                              .size = alloc->size,
                                              .tick = alloc->tick,
                                              .row = alloc->row};

    return put(shots, &object);
}

static bool move(struct mpdata_mono_shots *shots, uint64_t from, uint64_t to)
{
    struct mpdata_mono_object *const old = find(shots, from);
    struct mpdata_mono_object moved = {.row = MPDATA_MONO_NO_OBJECT};

    if (old != NULL) {
        moved = *old;
        old->row = MPDATA_MONO_NO_OBJECT;
    }
    moved.address = to;
    return put(shots, &moved);
}

static void end_others(struct mpdata_mono_shots *shots)
{
    struct mpdata_mono_object *const objects = shots->objects.rows.data;

    for (uint32_t i = 0; i < shots->objects.rows.count; i++) {
        if (objects[i].shot != shots->count)
            objects[i].row = MPDATA_MONO_NO_OBJECT;
    }
}

bool mpdata_mono_shots_add(struct mpdata_mono_shots *shots,
                           const struct mpdata_mono_shot_event *event)
{
    struct mpdata_mono_object *object;

    switch (event->kind) {
    case MPDATA_MONO_MOVED:
        return move(shots, event->address, event->to);
    case MPDATA_MONO_SHOT_BEGINS:
        shots->count++;
        shots->tick = event->tick;
        return true;
    case MPDATA_MONO_SHOT_OBJECT:
        object = find(shots, event->address);
        if (object != NULL)
            object->shot = shots->count;
        return true;
    case MPDATA_MONO_SHOT_ENDS:
        end_others(shots);
        return true;
    }
    return true;
}
