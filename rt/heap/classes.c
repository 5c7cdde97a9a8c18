/* classes.c -- size classes of small slots, and where the slots of a class lie
 * in a span.
 *
 * A slot consists of whole granules. If a header fits into the last granule, it
 * lies in the slot, in front of the memory:
 *
 *   span of an even fine class      span of any other class
 *   | h, 32 bytes | memory | h ...  | h | h | h ... | memory | memory ...
 *
 * Otherwise the headers lie side by side at the start of the span.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/classes.h"

#define PAGE_SHIFT MPRT_HEAP_PAGE_SHIFT
#define STEPS MPRT_HEAP_STEPS
#define FINE_CLASSES MPRT_HEAP_FINE_CLASSES

/* At most 1/8 of a span may stay unused at its end. */
#define SPAN_REST_SHIFT 3

#define BATCH_BYTES ((size_t)16 << 10)
#define BATCH_MAX 64
#define BATCH_MIN 2

struct mprt_class mprt_classes[MPRT_HEAP_CLASSES];

unsigned mprt_classes_of(size_t bytes)
{
    if (bytes == 0)
        return 0;
    if (bytes <= MPRT_HEAP_FINE_BYTES_MAX)
        return (unsigned)((bytes - 1) / MPRT_HEAP_ALIGN);
    /* The highest bit of the last granule's number selects the power of two,
     * the next three bits the step. */
    const size_t last = (bytes - 1) / MPROF_GRANULE_BYTES;
    const unsigned shift = 60 - (unsigned)__builtin_clzll(last);
    return FINE_CLASSES - STEPS + STEPS * shift + (unsigned)(last >> shift);
}

/* Bytes of a slot, including the header if the header lies in the slot. */
static size_t class_bytes(unsigned class)
{
    if (class < FINE_CLASSES)
        return (size_t)(class / 2 + 1) * MPROF_GRANULE_BYTES;
    const unsigned shift = (class - FINE_CLASSES) / STEPS;
    return (size_t)(class % STEPS + STEPS + 1) * MPROF_GRANULE_BYTES << shift;
}

/* Whether the header lies in the slot, in front of the memory. */
static bool is_in_front(unsigned class)
{
    return class < FINE_CLASSES && class % 2 == 0;
}

/* Number of slots in a span of this many bytes; *first: offset of the first
 * slot's memory. */
static uint32_t slots_in(unsigned class, size_t bytes, uint32_t *first)
{
    const size_t slot = class_bytes(class);
    size_t n = bytes / slot;

    *first = MPRT_HEAP_ALIGN;
    if (is_in_front(class))
        return (uint32_t)n;
    n = bytes / (slot + MPRT_HEAP_HEADER_BYTES);
    while (mprof_round_up(n * MPRT_HEAP_HEADER_BYTES, MPROF_GRANULE_BYTES) +
               n * slot >
           bytes)
        n--;
    *first = (uint32_t)mprof_round_up(n * MPRT_HEAP_HEADER_BYTES,
                                      MPROF_GRANULE_BYTES);
    return (uint32_t)n;
}

/* The fewest pages for a span that leave at most an eighth of it unused. */
static uint32_t span_pages(unsigned class)
{
    const size_t slot = class_bytes(class);

    for (uint32_t count = 1;; count++) {
        const size_t bytes = (size_t)count << PAGE_SHIFT;
        uint32_t first;
        const size_t used = slots_in(class, bytes, &first) * slot +
                            (is_in_front(class) ? 0 : first);
        if (bytes - used <= bytes >> SPAN_REST_SHIFT)
            return count;
    }
}

static uint32_t batch_of(size_t bytes)
{
    const size_t n = BATCH_BYTES / bytes;

    return (uint32_t)(n > BATCH_MAX   ? BATCH_MAX
                      : n < BATCH_MIN ? BATCH_MIN
                                      : n);
}

static void init_class(unsigned class)
{
    struct mprt_class *const c = &mprt_classes[class];
    const size_t bytes = class_bytes(class);

    c->bytes = (uint32_t)bytes;
    c->inverse = ((uint64_t)1 << MPRT_CLASSES_INVERSE_SHIFT) / bytes + 1;
    c->pages = span_pages(class);
    c->end =
        c->bytes * slots_in(class, (size_t)c->pages << PAGE_SHIFT, &c->first);
    c->batch = batch_of(bytes);
    c->stride = MPRT_HEAP_HEADER_BYTES;
    c->room = c->bytes;
    c->whole = c->bytes + MPRT_HEAP_HEADER_BYTES;
    if (is_in_front(class)) {
        c->stride = c->whole = c->bytes;
        c->room = c->bytes - MPRT_HEAP_ALIGN;
    }
}

void mprt_classes_init(void)
{
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        init_class(class);
}
