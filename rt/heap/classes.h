/* classes.h -- size classes of small slots, and where the slots of a class lie
 * in a span.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"
#include "shared/abi.h"

#define MPRT_HEAP_HEADER_BYTES 24
#define MPRT_HEAP_ALIGN 32

#define MPRT_HEAP_PAGE_SHIFT 16
#define MPRT_HEAP_PAGE_MASK (((size_t)1 << MPRT_HEAP_PAGE_SHIFT) - 1)
/* Fine classes have slots in multiples of MPRT_HEAP_ALIGN and spans of one
 * page. The other classes have 8 sizes per power of two. */
#define MPRT_HEAP_STEPS 8
#define MPRT_HEAP_FINE_CLASSES (2 * MPRT_HEAP_STEPS)
#define MPRT_HEAP_FINE_BYTES_MAX ((size_t)MPROF_GRANULE_BYTES * MPRT_HEAP_STEPS)
#define MPRT_HEAP_SMALL_BYTES_MAX \
    (MPRT_HEAP_FINE_BYTES_MAX     \
     << (MPRT_HEAP_CLASSES - MPRT_HEAP_FINE_CLASSES) / MPRT_HEAP_STEPS)

/* Layout of a span: the memory of slot i is at first + i * bytes, its header at
 * i * stride. */
struct mprt_class {
    /* (1 << MPRT_CLASSES_INVERSE_SHIFT) / bytes, rounded up */
    uint64_t inverse;
    uint32_t first;
    uint32_t bytes;
    uint32_t stride;
    uint32_t end;   /* number of slots * bytes */
    uint32_t room;  /* usable bytes of a slot's memory */
    uint32_t batch; /* slots that move between thread and class at a time */
    uint32_t pages; /* pages of a span */
    uint32_t whole; /* bytes of a slot, header included */
} __attribute__((aligned(64)));
#define MPRT_CLASSES_INVERSE_SHIFT 40
extern MPRT_HIDDEN struct mprt_class mprt_classes[MPRT_HEAP_CLASSES];

/* Fills in the table. */
void mprt_classes_init(void);
/* The class for this many bytes, at most MPRT_HEAP_SMALL_BYTES_MAX. */
unsigned mprt_classes_of(size_t bytes);

/* Index of a slot in its span. distance: from the first slot's memory to this
 * slot's. */
static inline uint64_t mprt_classes_index(const struct mprt_class *c,
                                          uint32_t distance)
{
    return (distance * c->inverse) >> MPRT_CLASSES_INVERSE_SHIFT;
}
