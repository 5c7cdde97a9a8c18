/* le.h -- unaligned little-endian loads and stores. All our formats are
 * little-endian.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Converts between the machine's byte order and little-endian. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define MPROF_LE(bits, value) (value)
#else
#define MPROF_LE(bits, value) __builtin_bswap##bits(value)
#endif

static inline uint32_t mprof_le_load32(const uint8_t *p)
{
    uint32_t value;

    __builtin_memcpy(&value, p, sizeof(value));
    return MPROF_LE(32, value);
}

static inline uint64_t mprof_le_load64(const uint8_t *p)
{
    uint64_t value;

    __builtin_memcpy(&value, p, sizeof(value));
    return MPROF_LE(64, value);
}

/* The number in the `width` bytes (0..8) at p. The usual widths have code of
 * their own, because compilers do not turn the loop into one load (only clang
 * does, for a constant width). */
static inline uint64_t mprof_le_load(const uint8_t *p, unsigned width)
{
    uint64_t value = 0;

    if (width == 8)
        return mprof_le_load64(p);
    if (width == 4)
        return mprof_le_load32(p);
    if (width == 2)
        return (uint64_t)p[0] | (uint64_t)p[1] << 8;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

/* Stores the low `width` bytes (0..8) of a number at p. */
static inline void mprof_le_store(uint8_t *p, uint64_t value, unsigned width)
{
    if (width == 8) {
        value = MPROF_LE(64, value);
        __builtin_memcpy(p, &value, sizeof(value));
    } else if (width == 4) {
        const uint32_t low = MPROF_LE(32, (uint32_t)value);

        __builtin_memcpy(p, &low, sizeof(low));
    } else {
        for (unsigned i = 0; i < width; i++)
            p[i] = (uint8_t)(value >> (8 * i));
    }
}
