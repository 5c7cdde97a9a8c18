/* le.h -- unaligned little-endian loads and stores, the byte order of every
 * format here.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_LE_H
#define MPROF_LE_H

#include "shared/base.h"

/* The low `width` bytes (0..8) at p as a number. Compilers turn the fixed
 * widths into one load. */
static inline uint64_t mprof_le_load(const uint8_t *p, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

static inline void mprof_le_store(uint8_t *p, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

static inline uint32_t mprof_le_load32(const uint8_t *p)
{
    return (uint32_t)mprof_le_load(p, 4);
}

static inline uint64_t mprof_le_load64(const uint8_t *p)
{
    return mprof_le_load(p, 8);
}

#endif
