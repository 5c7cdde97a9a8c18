/* mono_heap.h -- reads logs of Mono's profilers: allocations by class and call
 * stack, and one by one. Names of classes and methods may come later than the
 * allocations.
 *
 * The two formats: .mlpd of the profiler `log`, data versions 14 to 17, and
 * version 1 of the block format (profdata/base/mono_format.h), the log of
 * Mono's first profiler.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/set.h"
#include "profdata/base/str.h"
#include "shared/err.h"

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

struct mpdata_mono_thread {
    uint64_t id;
    uint32_t node; /* of the methods that run in it */
};

/* A single allocation. */
struct mpdata_mono_alloc {
    uint64_t tick;
    uint64_t address; /* 0: the log has none */
    uint64_t size;
    uint32_t thread; /* number, from 1 on, in the order of the log */
    uint32_t row;    /* index, set by _alloc() */
};

/* What a log says of objects after their allocations. */
enum mpdata_mono_shot_kind {
    MPDATA_MONO_MOVED,
    MPDATA_MONO_SHOT_BEGINS, /* a heapshot */
    MPDATA_MONO_SHOT_OBJECT, /* it has this object */
    MPDATA_MONO_SHOT_ENDS
};
struct mpdata_mono_shot_event {
    enum mpdata_mono_shot_kind kind;
    uint64_t tick;
    uint64_t address;
    uint64_t to; /* of MOVED: the new address */
};

/* What a log says of its run. Times of allocations are ticks. */
struct mpdata_mono_run {
    uint64_t start_ns; /* since 1970 */
    uint64_t duration_ns;
    uint64_t first_tick;
    double tick_ns; /* 0: the log does not tell how long a tick is */
    uint32_t pid;
    struct mpdata_str program;
    struct mprof_diag rest; /* OK, or the damage after the last event */
};

/* Init it with _init(). */
struct mpdata_mono_heap {
    struct mpdata_set classes; /* struct mpdata_mono_name */
    struct mpdata_set methods; /* struct mpdata_mono_name */
    struct mpdata_set nodes;   /* struct mpdata_mono_node */
    struct mpdata_set rows;    /* struct mpdata_mono_row */
    struct mpdata_set threads; /* struct mpdata_mono_thread */
    bool failed;               /* no memory; later calls do nothing */
    /* Gets each allocation, if it is set; false ends the reading, as without
     * memory. */
    bool (*visit)(void *context, const struct mpdata_mono_alloc *alloc);
    /* Likewise each assembly, image or domain that comes or goes. */
    bool (*change)(void *context, uint64_t tick, bool is_unload,
                   struct mpdata_str name);
    /* Likewise what happens to objects. */
    bool (*shot)(void *context, const struct mpdata_mono_shot_event *event);
    void *context;
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
/* Index + 1 of the thread, or 0 without memory. */
uint32_t mpdata_mono_heap_thread(struct mpdata_mono_heap *heap, uint64_t id);
void mpdata_mono_heap_alloc(struct mpdata_mono_heap *heap, uint32_t node,
                            uint64_t type,
                            const struct mpdata_mono_alloc *alloc);
/* Adds an object to the row's sums. */
void mpdata_mono_heap_count(struct mpdata_mono_row *row, uint64_t size);
/* Something was loaded or unloaded. */
void mpdata_mono_heap_change(struct mpdata_mono_heap *heap, uint64_t tick,
                             bool is_unload, struct mpdata_str name);
void mpdata_mono_heap_shot(struct mpdata_mono_heap *heap,
                           const struct mpdata_mono_shot_event *event);
/* Name of a class by its index; "" if unknown. */
struct mpdata_str
mpdata_mono_heap_class_name(const struct mpdata_mono_heap *heap, uint32_t i);

bool mpdata_mlpd_log_is(const uint8_t *data, size_t size);
bool mpdata_mono_blocks_is(const uint8_t *data, size_t size);
/* Read a log; the heap, which was initialized, refers to the bytes. Damage
 * after the header is no error: what stands before it was read. Errors: those
 * of a reader. */
typedef enum mprof_err mpdata_mono_read_fn(struct mpdata_mono_heap *heap,
                                           const uint8_t *data, size_t size,
                                           struct mpdata_mono_run *run,
                                           struct mprof_diag *diag);
mpdata_mono_read_fn mpdata_mlpd_log_read;
mpdata_mono_read_fn mpdata_mono_blocks_read;
