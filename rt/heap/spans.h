/* spans.h -- spans of small slots, and each class's shared stack of batches:
 * lists of free slots, linked by their headers. Any thread, also in signal
 * handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/heap/heap.h"

/* After mprt_classes_init(). */
void mprt_spans_init(void);
void mprt_spans_before_fork(void);
void mprt_spans_after_fork(bool is_child);

/* Header of a slot of this class. */
static inline struct mprt_heap_free *mprt_spans_header(unsigned class,
                                                       const void *memory)
{
    const struct mprt_class *const c = &mprt_classes[class];
    const uint32_t page = mprt_runs_page(memory);
    char *const span = mprt_runs_start(
        class < MPRT_HEAP_FINE_CLASSES ? page : mprt_runs[page].first);
    const uint64_t i = mprt_classes_index(
        c, (uint32_t)((const char *)memory - span) - c->first);

    return (struct mprt_heap_free *)(void *)(span + i * c->stride);
}

/* Pushes a batch of `count` slots onto the class's stack. */
void mprt_spans_push(unsigned class, void *first, uint64_t count);
/* A batch from the stack, or new slots; NULL without memory. *got: their
 * number. */
void *mprt_spans_take(unsigned class, uint32_t *got);
/* Gives the memory of spans without used slots back to the system. False if
 * there are none. */
bool mprt_spans_trim(unsigned class);
/* The same if it is worth its time. */
void mprt_spans_trim_surplus(unsigned class);
/* Bytes of the slots that are not in the stacks. */
uint64_t mprt_spans_used_bytes(void);
/* Pages of spans whose memory the system has. */
uint32_t mprt_spans_empty_pages(void);
