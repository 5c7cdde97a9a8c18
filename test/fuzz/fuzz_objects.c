/* fuzz_objects.c -- libFuzzer target: objects of a virtual machine. What small
 * graphs retain is compared with what cannot be reached without each object.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/objects/objects.h"

#include <stdlib.h>

#define SMALL 48u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Marks what strong references reach from the root if `without` is gone. */
static void reach(const struct mpdata_objects *objects, uint32_t without,
                  bool *is_reached)
{
    bool is_changed = true;

    for (uint32_t i = 0; i < objects->rows.count; i++)
        is_reached[i] = i == 0 && without != 0;
    while (is_changed) {
        is_changed = false;
        for (uint32_t i = 0; i < objects->rows.count; i++) {
            const struct mpdata_object *const o = mpdata_objects_at(objects, i);
            const struct mpdata_object_ref *const refs =
                mpdata_objects_refs(objects, o);

            for (uint32_t k = 0; k < o->count && is_reached[i]; k++) {
                const uint32_t to = refs[k].target;

                if (refs[k].is_weak || to == without || is_reached[to])
                    continue;
                is_reached[to] = is_changed = true;
            }
        }
    }
}

static void check_retained(const struct mpdata_objects *objects,
                           const struct mpdata_objects_graph *graph)
{
    bool all[SMALL];
    bool rest[SMALL];

    reach(objects, UINT32_MAX, all);
    for (uint32_t i = 0; i < objects->rows.count; i++) {
        uint64_t bytes = 0;

        if (!all[i])
            continue;
        reach(objects, i, rest);
        for (uint32_t k = 0; k < objects->rows.count; k++) {
            if (all[k] && !rest[k])
                bytes = mprof_add_sat_u64(bytes,
                                          mpdata_objects_at(objects, k)->bytes);
        }
        if (graph->retained[i] != bytes)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_objects objects;
    struct mpdata_objects_graph graph;
    struct mprof_diag diag;

    if (mpdata_objects_read(&objects, data, size, &diag) == MPROF_E_OK) {
        if (mpdata_objects_graph(&graph, &objects) != MPROF_E_OK)
            abort();
        if (objects.rows.count <= SMALL)
            check_retained(&objects, &graph);
        mpdata_objects_graph_fini(&graph);
    }
    mpdata_objects_fini(&objects);
    return 0;
}
