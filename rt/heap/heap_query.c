/* heap_query.c -- finds the slot of an address, and visits all slots.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/heap.h"

#define PAGE_SHIFT MPRT_HEAP_PAGE_SHIFT
#define FINE_CLASSES MPRT_HEAP_FINE_CLASSES

uint8_t *mprt_heap_small;

/* Slot number i of a span. */
static struct mprt_heap_slot small_slot(unsigned class, uint32_t first,
                                        uint64_t i)
{
    const struct mprt_class *const c = &mprt_classes[class];
    char *const span = mprt_runs_start(first);

    return (struct mprt_heap_slot){span + c->first + i * c->bytes,
                                   span + i * c->stride, c->room};
}

static struct mprt_heap_slot large_slot(uint32_t first, uint32_t count)
{
    return (struct mprt_heap_slot){mprt_runs_start(first),
                                   &mprt_runs[first].header,
                                   (size_t)count << PAGE_SHIFT};
}

static const struct mprt_heap_slot no_slot = {NULL, NULL, 0};

/* The slot that contains p in a span. Reads only within the region, whatever p
 * is. */
static struct mprt_heap_slot small_slot_of(unsigned class, const void *p)
{
    const struct mprt_class *const c = &mprt_classes[class];
    const uint32_t first = class < FINE_CLASSES
                               ? mprt_runs_page(p)
                               : mprt_runs[mprt_runs_page(p)].first;
    const size_t distance =
        (size_t)((const char *)p - mprt_runs_start(first)) - c->first;
    const uint64_t i = distance / c->bytes;

    if (distance >= c->end || distance - i * c->bytes >= c->room ||
        i >= MPRT_LOAD_ACQUIRE(mprt_runs[first].carved))
        return no_slot;
    return small_slot(class, first, i);
}

/* Works without the lock: during the life of a large slot its run begins at one
 * page, and no other run begins inside. The answer for other pages may be out
 * of date. */
static struct mprt_heap_slot large_slot_of(const void *p)
{
    const uint32_t page = mprt_runs_page(p);
    const uint32_t first = mprt_runs_first(page);
    const uint32_t count =
        __atomic_load_n(&mprt_runs[first].pages, __ATOMIC_RELAXED);

    return mprt_runs_kind(first) == MPRT_RUN_LARGE && page - first < count
               ? large_slot(first, count)
               : no_slot;
}

struct mprt_heap_slot mprt_heap_slot_of(const void *p)
{
    if (!mprt_heap_contains(p))
        return no_slot;
    const uint32_t small = mprt_heap_small[mprt_runs_page(p)];

    return small != 0 ? small_slot_of(small - 1, p) : large_slot_of(p);
}

/* The memory of a large slot begins at a page. The header in the page's
 * descriptor is kept after the slot is freed, so it tells whether a block lives
 * there. */
void *mprt_heap_coarse_header_at(void *p)
{
    const uint32_t page = mprt_runs_page(p);
    const uint32_t small = mprt_heap_small[page];

    if (small == 0)
        return p == mprt_runs_start(page) ? &mprt_runs[page].header : NULL;
    const struct mprt_heap_slot slot = small_slot_of(small - 1, p);
    return p == slot.memory ? slot.header : NULL;
}

static void visit_span(uint32_t first, unsigned class,
                       void (*visit)(void *context,
                                     const struct mprt_heap_slot *slot),
                       void *context)
{
    /* Pairs with the release in carve_slots(). */
    const uint32_t carved = MPRT_LOAD_ACQUIRE(mprt_runs[first].carved);

    for (uint32_t i = 0; i < carved; i++) {
        const struct mprt_heap_slot slot = small_slot(class, first, i);
        visit(context, &slot);
    }
}

/* A run and its length; 0 pages: no run from this page on. The lock is held. */
struct run {
    uint32_t first;
    uint32_t pages;
    uint32_t kind;
};

static struct run next_run(uint32_t page)
{
    const uint32_t first = mprt_runs_next(page);

    if (first >= mprt_runs_top())
        return (struct run){.pages = 0};
    return (struct run){first, mprt_runs[first].pages, mprt_runs_kind(first)};
}

static void visit_run(struct run run,
                      void (*visit)(void *context,
                                    const struct mprt_heap_slot *slot),
                      void *context)
{
    if (run.kind == MPRT_RUN_LARGE) {
        const struct mprt_heap_slot slot = large_slot(run.first, run.pages);
        visit(context, &slot);
    }
    if (run.kind >= MPRT_RUN_SMALL)
        visit_span(run.first, run.kind - MPRT_RUN_SMALL, visit, context);
}

void mprt_heap_walk(void (*visit)(void *context,
                                  const struct mprt_heap_slot *slot),
                    void *context)
{
    struct run run = {.first = 0};

    for (;;) {
        /* The lock makes the step from run to run exact. A run may change while
         * it is visited, but slots that stay in use do not move. */
        const uint64_t signals = mprt_runs_enter();
        run = next_run(run.first + run.pages);
        mprt_runs_leave(signals);
        if (run.pages == 0)
            return;
        visit_run(run, visit, context);
    }
}

void mprt_heap_walk_held(void (*visit)(void *context,
                                       const struct mprt_heap_slot *slot),
                         void *context)
{
    for (struct run run = next_run(0); run.pages != 0;
         run = next_run(run.first + run.pages))
        visit_run(run, visit, context);
}

size_t mprt_heap_extent(void)
{
    const uint64_t signals = mprt_runs_enter();
    const uint32_t top = mprt_runs_top();

    mprt_runs_leave(signals);
    return (size_t)top << PAGE_SHIFT;
}
