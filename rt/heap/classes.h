/* classes.h -- sizes of small slots, and where those of each lie in a span.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_CLASSES_H
#define MPRT_CLASSES_H

#include "rt/base/thread.h"
#include "shared/abi.h"

#define MPRT_HEAP_HEADER_BYTES 24
#define MPRT_HEAP_ALIGN 32

#define MPRT_HEAP_PAGE_SHIFT 16
#define MPRT_HEAP_PAGE_MASK (((size_t)1 << MPRT_HEAP_PAGE_SHIFT) - 1)
/* Fine classes, of a page each: memory of multiples of MPRT_HEAP_ALIGN. Then 8
 * per doubling. */
#define MPRT_HEAP_STEPS 8
#define MPRT_HEAP_FINE_CLASSES (2 * MPRT_HEAP_STEPS)
#define MPRT_HEAP_FINE_BYTES_MAX ((size_t)MPROF_GRANULE_BYTES * MPRT_HEAP_STEPS)
#define MPRT_HEAP_SMALL_BYTES_MAX \
    (MPRT_HEAP_FINE_BYTES_MAX     \
     << (MPRT_HEAP_CLASSES - MPRT_HEAP_FINE_CLASSES) / MPRT_HEAP_STEPS)

/* Where the slots of a class lie in their span: memory at first + i * bytes,
 * headers at i * stride. */
struct mprt_class {
    uint64_t inverse; /* 1 / bytes << MPRT_CLASSES_INVERSE_SHIFT, rounded up */
    uint32_t first;
    uint32_t bytes;
    uint32_t stride;
    uint32_t end;   /* slots * bytes */
    uint32_t room;  /* of memory */
    uint32_t batch; /* slots that are moved at a time */
    uint32_t pages; /* of a span */
    uint32_t whole; /* bytes of a slot, its header with it */
} __attribute__((aligned(64)));
#define MPRT_CLASSES_INVERSE_SHIFT 40
extern MPRT_HIDDEN struct mprt_class mprt_classes[MPRT_HEAP_CLASSES];

/* Fills in the table. */
void mprt_classes_init(void);
/* For so many bytes, MPRT_HEAP_SMALL_BYTES_MAX at most. */
unsigned mprt_classes_of(size_t bytes);

/* Which slot of its span this is, by its memory's distance from the first. */
static inline uint64_t mprt_classes_index(const struct mprt_class *c,
                                          uint32_t distance)
{
    return (distance * c->inverse) >> MPRT_CLASSES_INVERSE_SHIFT;
}

#endif
