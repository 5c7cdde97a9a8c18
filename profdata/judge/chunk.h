/* chunk.h -- the memory that a block takes: malloc's chunk, cache lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

#define MPDATA_CACHE_LINE_BYTES 64u

/* Bytes that glibc's malloc() takes for a block: a head of 8 bytes, rounded up
 * to 16, at least 32 (MINSIZE and request2size() in malloc.c). Other allocators
 * need no head, but the same alignment. Saturates. */
static inline uint64_t mpdata_chunk_bytes(uint64_t size)
{
    return size <= 24 ? 32 : mprof_add_sat_u64(size, 8 + 15) / 16 * 16;
}

/* Distance of jemalloc's sizes where this one is: 16 up to 128 bytes, then four
 * sizes for each doubling. Large blocks have pages of their own, of which only
 * those that are touched take memory. */
static inline uint64_t mpdata_class_step(uint64_t size)
{
    uint64_t step = 16;

    while (step < 4096 && size > 8 * step)
        step *= 2;
    return step;
}

/* Bytes that jemalloc takes for a block, and libmemprof_alloc for one without a
 * hint; these are 16 at least. Saturates. */
static inline uint64_t mpdata_class_bytes(uint64_t size)
{
    const uint64_t step = mpdata_class_step(size);

    return size <= 16 ? 16 : mprof_add_sat_u64(size, step - 1) / step * step;
}
