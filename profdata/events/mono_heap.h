/* mono_heap.h -- allocations in logs of Mono's profilers, by class and call
 * stack. Names of classes and methods may come later than the allocations.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_MONO_HEAP_H
#define MPDATA_MONO_HEAP_H

#include "profdata/base/set.h"
#include "profdata/base/str.h"

struct mpdata_mono_name {
    uint64_t id;
    struct mpdata_str text; /* borrowed */
    uint64_t other;         /* id of the class of a table or a method, or 0 */
};

struct mpdata_mono_node {
    uint32_t parent; /* index + 1, 0: none; always an earlier one */
    uint32_t method; /* index */
};

struct mpdata_mono_row {
    uint32_t node; /* index + 1; 0: no call stack */
    uint32_t type; /* index of the class */
    uint64_t count;
    uint64_t bytes;
    uint64_t smallest;
    uint64_t largest;
};

/* Init it with _init(). */
struct mpdata_mono_heap {
    struct mpdata_set classes; /* struct mpdata_mono_name */
    struct mpdata_set methods; /* struct mpdata_mono_name */
    struct mpdata_set nodes;   /* struct mpdata_mono_node */
    struct mpdata_set rows;    /* struct mpdata_mono_row */
    bool failed;               /* no memory; later calls do nothing */
};

void mpdata_mono_heap_init(struct mpdata_mono_heap *heap);
void mpdata_mono_heap_fini(struct mpdata_mono_heap *heap);
/* The later name of an id counts. */
void mpdata_mono_heap_class(struct mpdata_mono_heap *heap, uint64_t id,
                            uint64_t other, struct mpdata_str name);
void mpdata_mono_heap_method(struct mpdata_mono_heap *heap, uint64_t id,
                             uint64_t other, struct mpdata_str name);
/* The call stack `parent` with a method that it calls. */
uint32_t mpdata_mono_heap_node(struct mpdata_mono_heap *heap, uint32_t parent,
                               uint64_t method);
void mpdata_mono_heap_alloc(struct mpdata_mono_heap *heap, uint32_t node,
                            uint64_t type, uint64_t size);
/* Name of a class by its index; "" if unknown. */
struct mpdata_str
mpdata_mono_heap_class_name(const struct mpdata_mono_heap *heap, uint32_t i);

#endif
