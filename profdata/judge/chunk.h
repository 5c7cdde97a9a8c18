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
