/* mono_shots.c -- which objects the heapshots of a log of Mono's found alive.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/mono_shots.h"

static void clear(struct mpdata_mono_shots *shots)
{
    mpdata_set_init(&shots->objects,
                    MPDATA_SET_KEY(struct mpdata_mono_object, address),
                    sizeof(struct mpdata_mono_object));
    shots->bytes = 0;
}

void mpdata_mono_shots_init(struct mpdata_mono_shots *shots)
{
    *shots = (struct mpdata_mono_shots){.count = 0};
    clear(shots);
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

/* Leaves no row of what ended, so that all heapshots together take as long as
 * the log has events. */
static bool end_others(struct mpdata_mono_shots *shots)
{
    struct mpdata_set before = shots->objects;
    const struct mpdata_mono_object *const objects = before.rows.data;
    bool is_done = true;

    clear(shots);
    for (uint32_t i = 0; is_done && i < before.rows.count; i++) {
        if (objects[i].row == MPDATA_MONO_NO_OBJECT ||
            objects[i].shot != shots->count)
            continue;
        shots->bytes = mprof_add_sat_u64(shots->bytes, objects[i].size);
        is_done = put(shots, &objects[i]);
    }
    mpdata_set_fini(&before);
    return is_done;
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
        return end_others(shots);
    }
    return true;
}
