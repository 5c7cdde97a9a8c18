/* objects_graph.h -- what keeps objects alive: ways from the root, dominators,
 * retained sizes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/objects/objects.h"

#define MPDATA_OBJECTS_NONE UINT32_MAX

/* A column for each object. */
struct mpdata_objects_graph {
    /* Shortest way: the object before, and the reference from it, as an index
     * of objects->refs. Over strong references; if there is no such way, over
     * weak ones, too. NONE: the root, or no way. */
    uint32_t *before;
    uint32_t *by;
    /* All strong ways go through this object, the nearest such one. NONE: the
     * root, or no strong way. */
    uint32_t *dominator;
    /* Bytes that are free if the object goes: its own, and those of all objects
     * that it dominates. */
    uint64_t *retained;
    uint32_t strong_count; /* of objects with a strong way, the root included */
};

/* Needs _fini() in any case. Errors: NOMEM. Takes time in O(n log n) for n
 * objects and references. */
MPROF_NODISCARD enum mprof_err
mpdata_objects_graph(struct mpdata_objects_graph *graph,
                     const struct mpdata_objects *objects);
void mpdata_objects_graph_fini(struct mpdata_objects_graph *graph);
