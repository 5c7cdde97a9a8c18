/* mono_shots.h -- objects of a log of Mono's by their present addresses: which
 * of them a heapshot found alive. A heapshot lists all objects that live after
 * a collection; in between, collections move objects.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/events/mono_heap.h"

struct mpdata_mono_object {
    uint64_t address; /* present */
    uint64_t size;
    uint64_t tick; /* of the allocation */
    uint32_t row;  /* of the heap; MPDATA_MONO_NO_OBJECT: there is none now */
    uint32_t shot; /* the last heapshot that has it; 0: none yet */
};
#define MPDATA_MONO_NO_OBJECT UINT32_MAX

struct mpdata_mono_shots {
    struct mpdata_set objects; /* struct mpdata_mono_object */
    uint32_t count;            /* of heapshots that began */
    uint64_t tick;             /* of the last one */
    uint64_t bytes;            /* of what it has, if it ended */
};

void mpdata_mono_shots_init(struct mpdata_mono_shots *shots);
void mpdata_mono_shots_fini(struct mpdata_mono_shots *shots);
/* Adds an allocation. False without memory. */
bool mpdata_mono_shots_alloc(struct mpdata_mono_shots *shots,
                             const struct mpdata_mono_alloc *alloc);
/* Adds an event. After SHOT_ENDS exactly the objects that the heapshot has are
 * left, of those whose allocation the log has. False without memory. */
bool mpdata_mono_shots_add(struct mpdata_mono_shots *shots,
                           const struct mpdata_mono_shot_event *event);
