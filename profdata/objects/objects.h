/* objects.h -- the objects of a virtual machine and their references, read from
 * a file (docs/objects.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/arena.h"
#include "profdata/base/set.h"
#include "profdata/base/str.h"
#include "shared/err.h"

struct mpdata_object {
    uint64_t address; /* 0: unknown */
    uint64_t bytes;   /* 0: unknown */
    uint64_t accesses;
    uint64_t reads;   /* if has_reads */
    uint64_t idle_ns; /* since its last access, or since its birth; if has_idle
                       */
    uint32_t type;    /* number of a text */
    uint32_t made;    /* where it was allocated; 0: unknown */
    uint32_t text;    /* what it is; 0: unknown */
    uint32_t first;   /* of its references */
    uint32_t count;
    bool has_reads;
    bool has_idle;
};

struct mpdata_object_ref {
    uint32_t name; /* number of a text */
    uint32_t is_weak : 1;
    uint32_t target : 31; /* number of an object */
};

struct mpdata_objects {
    uint32_t machine;        /* number of a text */
    uint64_t used_bytes;     /* of the whole machine; 0: unknown */
    bool is_counted;         /* its accesses are counted */
    bool has_idle;           /* of any object */
    struct mpdata_vec rows;  /* struct mpdata_object; row 0 is the root */
    struct mpdata_vec refs;  /* struct mpdata_object_ref */
    struct mpdata_set texts; /* struct mpdata_str; numbers count from 1 */
    struct mpdata_arena bytes;
};

/* Reads the file data[0..size) into *objects, which needs _fini() in any case.
 * All references have a target. */
MPROF_NODISCARD enum mprof_err
mpdata_objects_read(struct mpdata_objects *objects, const void *data,
                    size_t size, struct mprof_diag *diag);
void mpdata_objects_fini(struct mpdata_objects *objects);

static inline const struct mpdata_object *
mpdata_objects_at(const struct mpdata_objects *objects, uint32_t i)
{
    return (const struct mpdata_object *)objects->rows.data + i;
}

static inline const struct mpdata_object_ref *
mpdata_objects_refs(const struct mpdata_objects *objects,
                    const struct mpdata_object *object)
{
    return (const struct mpdata_object_ref *)objects->refs.data + object->first;
}

/* "" for 0. */
const char *mpdata_objects_text(const struct mpdata_objects *objects,
                                uint32_t text);

/* objects_graph.c -- what keeps objects alive: ways from the root, dominators,
 * retained sizes. */

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
