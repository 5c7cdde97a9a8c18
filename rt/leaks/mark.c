/* mark.c -- marks the blocks that can be reached.
 *
 * The live blocks are in an array in order of address. A second array has, for
 * each page of addresses, the first block that starts in it, so a look-up
 * searches the blocks of one page. Blocks that are reached but not yet read are
 * a stack of numbers; each block is pushed once.
 *
 * As in LeakSanitizer, a pointer to any byte of a block keeps the block
 * reachable, but a pointer just past its end does not. The exception is a C++
 * array without elements: C++ keeps only a pointer past the word with the
 * number of elements.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/leaks/search.h"
#include "rt/base/fault.h"
#include "rt/base/mapbuf.h"
#include "rt/heap/heap.h"
#include "rt/record/block.h"

#define PAGE_SHIFT 16
#define REACHED 1u
#define INDIRECT 2u
#define EMPTY_ARRAY 4u

struct entry {
    uintptr_t start;
    size_t size;
    uint32_t context;
    uint32_t flags;
    uint32_t weight; /* number of blocks that it stands for (sampling) */
    uint32_t number; /* number of the leak, from 1 */
};

static struct {
    struct entry *blocks;
    uint32_t *to_do; /* reached but not yet followed */
    uint32_t *pages; /* first block that starts in the page or after it */
    /* Start of the first page and end of the last block, as offsets from the
     * start of the heap. Addresses would keep a block reachable, because this
     * is a variable of the program too. */
    size_t low;
    size_t high;
    size_t count;
    size_t room;
    size_t pages_count;
    size_t to_do_count;
} list;

/* -- the list -------------------------------------------------------------- */

static void count_block(void *context, const struct mprt_held_block *block)
{
    size_t *const count = context;

    (void)block;
    ++*count;
}

static void look_for_array(void *argument)
{
    struct entry *const e = argument;

    if (*(const volatile uint64_t *)e->start == 0)
        e->flags |= EMPTY_ARRAY;
}

/* Blocks are read only here and in read_words(), where a read may fault. */
static void add_block(void *context, const struct mprt_held_block *block)
{
    (void)context;
    if (list.count == list.room)
        return;
    struct entry *const e = &list.blocks[list.count++];
    *e = (struct entry){.start = block->p,
                        .size = block->size,
                        .context = block->context,
                        .weight = block->weight};
    if (e->size == sizeof(uint64_t))
        mprt_fault_try(look_for_array, e);
}

/* A block of size 0 is held by a pointer to its start. */
static uintptr_t end_of(const struct entry *e)
{
    return e->start + (e->size != 0 ? e->size : 1);
}

static size_t place_of(uintptr_t p)
{
    return p - (uintptr_t)mprt_runs_region;
}

static void fill_pages(void)
{
    size_t next = 0;

    for (size_t i = 0; i < list.pages_count; i++) {
        const size_t start = list.low + (i << PAGE_SHIFT);
        while (next < list.count && place_of(list.blocks[next].start) < start)
            next++;
        list.pages[i] = (uint32_t)next;
    }
}

bool mprt_mark_begin(void)
{
    list.count = list.room = list.to_do_count = list.pages_count = 0;
    list.pages = NULL;
    mprt_block_walk_held(count_block, &list.room);
    if (list.room >= UINT32_MAX)
        return false;
    list.blocks = mprt_mapbuf_new_array(list.room + 1, sizeof(*list.blocks));
    list.to_do =
        (uint32_t *)mprt_mapbuf_new_array(list.room + 1, sizeof(*list.to_do));
    if (list.blocks == NULL || list.to_do == NULL)
        return false;
    mprt_block_walk_held(add_block, NULL);
    if (list.count == 0)
        return true;
    list.low = place_of(list.blocks[0].start) >> PAGE_SHIFT << PAGE_SHIFT;
    list.high = place_of(end_of(&list.blocks[list.count - 1]));
    list.pages_count = ((list.high - list.low) >> PAGE_SHIFT) + 2;
    list.pages = mprt_mapbuf_new_array(list.pages_count, sizeof(*list.pages));
    if (list.pages != NULL)
        fill_pages();
    return list.pages != NULL;
}

void mprt_mark_end(void)
{
    mprt_mapbuf_free_array(list.blocks, list.room + 1, sizeof(*list.blocks));
    mprt_mapbuf_free_array(list.to_do, list.room + 1, sizeof(*list.to_do));
    mprt_mapbuf_free_array(list.pages, list.pages_count, sizeof(*list.pages));
    list.blocks = NULL;
    list.to_do = list.pages = NULL;
    list.count = 0;
}

static bool is_empty_array(const struct entry *e, uintptr_t p)
{
    return (e->flags & EMPTY_ARRAY) != 0 && p == e->start + e->size;
}

/* Returns the block that p points into, or NULL. It can only be the last block
 * that starts at or before p. */
static struct entry *find(uintptr_t p)
{
    const size_t behind = place_of(p) - list.low;
    if (behind > list.high - list.low || list.count == 0)
        return NULL;
    const size_t page = behind >> PAGE_SHIFT;
    size_t low = list.pages[page];
    size_t high = list.pages[page + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list.blocks[middle].start <= p)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    struct entry *const e = &list.blocks[low - 1];
    return p < end_of(e) || is_empty_array(e, p) ? e : NULL;
}

bool mprt_mark_find(uintptr_t p, uintptr_t *start, uintptr_t *end)
{
    const struct entry *const e = find(p);

    if (e == NULL)
        return false;
    *start = e->start;
    *end = e->start + e->size;
    return true;
}

/* -- what is reached ------------------------------------------------------- */

static void reach(struct entry *e)
{
    if ((e->flags & REACHED) != 0)
        return;
    e->flags |= REACHED;
    list.to_do[list.to_do_count++] = (uint32_t)(e - list.blocks);
}

void mprt_mark_pointer(uintptr_t p)
{
    struct entry *const e = find(p);

    if (e != NULL)
        reach(e);
}

struct words {
    uintptr_t start;
    uintptr_t end;
    const struct entry *of; /* block that has these words, or NULL */
    void (*visit)(struct entry *e);
};

static void read_words(void *argument)
{
    const struct words *const w = argument;
    const uintptr_t first = (w->start + 7) & ~(uintptr_t)7;

    for (uintptr_t at = first; at + 8 <= w->end; at += 8) {
        struct entry *const e = find(*(const volatile uintptr_t *)at);
        if (e != NULL && e != w->of)
            w->visit(e);
    }
}

void mprt_mark_words(uintptr_t start, uintptr_t end)
{
    struct words words = {start, end, NULL, reach};

    mprt_fault_try(read_words, &words);
}

void mprt_mark_contexts(bool (*is_root)(uint32_t context))
{
    for (size_t i = 0; i < list.count; i++) {
        struct entry *const e = &list.blocks[i];
        if ((e->flags & REACHED) == 0 && is_root(e->context))
            reach(e);
    }
}

void mprt_mark_follow(void)
{
    while (list.to_do_count != 0) {
        const struct entry *const e =
            &list.blocks[list.to_do[--list.to_do_count]];
        mprt_mark_words(e->start, e->start + e->size);
    }
}

/* -- what is not reached --------------------------------------------------- */

static void note_indirect(struct entry *e)
{
    e->flags |= INDIRECT;
}

/* Marks leaked blocks that another leaked block points to. A pointer of a block
 * to itself does not count. */
static void find_indirect(void)
{
    for (size_t i = 0; i < list.count; i++) {
        const struct entry *const e = &list.blocks[i];
        struct words words = {e->start, e->start + e->size, e, note_indirect};
        if ((e->flags & REACHED) == 0)
            mprt_fault_try(read_words, &words);
    }
}

void mprt_mark_sum(struct mprt_mibmap_leaks *leaks, uint32_t count)
{
    find_indirect();
    for (size_t i = 0; i < list.count; i++) {
        const struct entry *const e = &list.blocks[i];
        if ((e->flags & REACHED) != 0 || e->context >= count)
            continue;
        struct mprt_mibmap_leaks *const leak = &leaks[e->context];
        leak->blocks += e->weight;
        leak->bytes += e->size * e->weight;
        if ((e->flags & INDIRECT) != 0) {
            leak->indirect_blocks += e->weight;
            leak->indirect_bytes += e->size * e->weight;
        }
    }
}

/* -- what leaked blocks point to ------------------------------------------- */

static struct mprof_buf *edges_to; /* edges of the block that is being read */
static size_t edges_first;

static void put_edge(struct entry *e)
{
    const uint32_t *const edges =
        (const uint32_t *)(const void *)edges_to->data;
    const size_t count = edges_to->size / sizeof(*edges);
    const uint32_t to = e->number - 1;

    if (e->number != 0 && (count == edges_first || edges[count - 1] != to))
        mprof_buf_bytes(edges_to, &to, sizeof(to));
}

static void number_leaks(uint32_t contexts)
{
    uint32_t number = 0;

    for (size_t i = 0; i < list.count; i++) {
        struct entry *const e = &list.blocks[i];
        if ((e->flags & REACHED) == 0 && e->context != 0 &&
            e->context < contexts)
            e->number = ++number;
    }
}

static void put_leak(struct mprof_buf *leaks, const struct entry *e)
{
    const struct mprt_mark_leak leak = {.first_edge = edges_first,
                                        .bytes = (uint64_t)e->size * e->weight,
                                        .context = e->context,
                                        .blocks = e->weight};

    mprof_buf_bytes(leaks, &leak, sizeof(leak));
}

bool mprt_mark_graph(struct mprof_buf *leaks, struct mprof_buf *edges,
                     uint32_t contexts)
{
    const struct entry end = {.start = 0};

    edges_to = edges;
    edges_first = 0;
    number_leaks(contexts);
    for (size_t i = 0; i < list.count; i++) {
        const struct entry *const e = &list.blocks[i];
        struct words words = {e->start, e->start + e->size, e, put_edge};
        if (e->number == 0)
            continue;
        edges_first = edges->size / sizeof(uint32_t);
        put_leak(leaks, e);
        mprt_fault_try(read_words, &words);
    }
    edges_first = edges->size / sizeof(uint32_t);
    put_leak(leaks, &end);
    return !leaks->failed && !edges->failed && edges_first < UINT32_MAX;
}
