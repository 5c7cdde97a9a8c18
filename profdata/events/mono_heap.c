/* mono_heap.c -- allocations in logs of Mono's profilers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/mono_heap.h"

void mpdata_mono_heap_init(struct mpdata_mono_heap *heap)
{
    *heap = (struct mpdata_mono_heap){.failed = false};
    mpdata_set_init(&heap->classes, MPDATA_SET_KEY(struct mpdata_mono_name, id),
                    sizeof(struct mpdata_mono_name));
    mpdata_set_init(&heap->methods, MPDATA_SET_KEY(struct mpdata_mono_name, id),
                    sizeof(struct mpdata_mono_name));
    mpdata_set_init(&heap->nodes, sizeof(struct mpdata_mono_node),
                    sizeof(struct mpdata_mono_node));
    mpdata_set_init(&heap->rows, MPDATA_SET_KEY(struct mpdata_mono_row, type),
                    sizeof(struct mpdata_mono_row));
    mpdata_set_init(&heap->threads,
                    MPDATA_SET_KEY(struct mpdata_mono_thread, id),
                    sizeof(struct mpdata_mono_thread));
}

void mpdata_mono_heap_fini(struct mpdata_mono_heap *heap)
{
    mpdata_set_fini(&heap->classes);
    mpdata_set_fini(&heap->methods);
    mpdata_set_fini(&heap->nodes);
    mpdata_set_fini(&heap->rows);
    mpdata_set_fini(&heap->threads);
}

/* Index + 1 of the row, or 0 without memory. */
static uint32_t add(struct mpdata_mono_heap *heap, struct mpdata_set *set,
                    const void *key)
{
    const uint32_t at = heap->failed ? 0 : mpdata_set_add(set, key, NULL);

    heap->failed |= at == 0;
    return at;
}

static void set_name(struct mpdata_mono_heap *heap, struct mpdata_set *set,
                     const struct mpdata_mono_name *name)
{
    const uint32_t at = add(heap, set, name);

    if (at != 0)
        ((struct mpdata_mono_name *)set->rows.data)[at - 1] = *name;
}

/* Index + 1; the name may come later. */
static uint32_t find_name(struct mpdata_mono_heap *heap, struct mpdata_set *set,
                          uint64_t id)
{
    const struct mpdata_mono_name name = {.id = id, .text = {"", 0}};

    return add(heap, set, &name);
}

void mpdata_mono_heap_class(struct mpdata_mono_heap *heap, uint64_t id,
                            uint64_t other, struct mpdata_str name)
{
    const struct mpdata_mono_name row = {
        .id = id, .text = name, .other = other};

    set_name(heap, &heap->classes, &row);
}

void mpdata_mono_heap_method(struct mpdata_mono_heap *heap, uint64_t id,
                             uint64_t other, struct mpdata_str name)
{
    const struct mpdata_mono_name row = {
        .id = id, .text = name, .other = other};

    set_name(heap, &heap->methods, &row);
}

uint32_t mpdata_mono_heap_node(struct mpdata_mono_heap *heap, uint32_t parent,
                               uint64_t method)
{
    const struct mpdata_mono_node node = {
        .parent = parent,
        .method = find_name(heap, &heap->methods, method) - 1};

    return add(heap, &heap->nodes, &node);
}

uint32_t mpdata_mono_heap_thread(struct mpdata_mono_heap *heap, uint64_t id)
{
    const struct mpdata_mono_thread thread = {.id = id};

    return add(heap, &heap->threads, &thread);
}

void mpdata_mono_heap_count(struct mpdata_mono_row *row, uint64_t size)
{
    row->count++;
    row->bytes = mprof_add_sat_u64(row->bytes, size);
    row->smallest = mprof_min_u64(row->smallest, size);
    row->largest = mprof_max_u64(row->largest, size);
}

void mpdata_mono_heap_alloc(struct mpdata_mono_heap *heap, uint32_t node,
                            uint64_t type,
                            const struct mpdata_mono_alloc *alloc)
{
    struct mpdata_mono_alloc one = *alloc;
    const struct mpdata_mono_row key = {
        .node = node,
        .type = find_name(heap, &heap->classes, type) - 1,
        .smallest = UINT64_MAX};
    const uint32_t at = add(heap, &heap->rows, &key);

    if (at == 0)
        return;
    mpdata_mono_heap_count(
        (struct mpdata_mono_row *)heap->rows.rows.data + (at - 1), alloc->size);
    one.row = at - 1;
    heap->failed |= heap->visit != NULL && !heap->visit(heap->context, &one);
}

void mpdata_mono_heap_change(struct mpdata_mono_heap *heap, uint64_t tick,
                             bool is_unload, struct mpdata_str name)
{
    heap->failed |= heap->change != NULL &&
                    !heap->change(heap->context, tick, is_unload, name);
}

void mpdata_mono_heap_shot(struct mpdata_mono_heap *heap,
                           const struct mpdata_mono_shot_event *event)
{
    heap->failed |= heap->shot != NULL && !heap->shot(heap->context, event);
}

struct mpdata_str
mpdata_mono_heap_class_name(const struct mpdata_mono_heap *heap, uint32_t i)
{
    const struct mpdata_mono_name *const classes = heap->classes.rows.data;
    const struct mpdata_mono_name other = {.id = classes[i].other};
    const uint32_t at =
        other.id != 0 ? mpdata_set_find(&heap->classes, &other) : 0;

    return at != 0 ? classes[at - 1].text : classes[i].text;
}
