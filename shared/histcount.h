/* histcount.h -- the 16-bit code of a histogram cell in version 5 of LLVM's raw
 * format.
 *
 * The top 4 bits are the exponent E, the low 12 bits the mantissa M; the value
 * is M << E. Values up to 4095 are exact. Larger values are halved, rounding
 * up, until they fit the mantissa. The largest value is 4095 << 15.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

#define MPROF_HISTCOUNT_MANTISSA_BITS 12
#define MPROF_HISTCOUNT_MANTISSA_MAX 4095u
#define MPROF_HISTCOUNT_EXPONENT_MAX 15u

static inline uint16_t mprof_histcount_encode(uint64_t count)
{
    uint32_t exponent = 0;

    while (count > MPROF_HISTCOUNT_MANTISSA_MAX) {
        if (exponent == MPROF_HISTCOUNT_EXPONENT_MAX) {
            count = MPROF_HISTCOUNT_MANTISSA_MAX;
            break;
        }
        count = (count >> 1) + (count & 1);
        exponent++;
    }
    return (uint16_t)(exponent << MPROF_HISTCOUNT_MANTISSA_BITS |
                      (uint32_t)count);
}

static inline uint64_t mprof_histcount_decode(uint16_t code)
{
    return (uint64_t)(code & MPROF_HISTCOUNT_MANTISSA_MAX)
           << (code >> MPROF_HISTCOUNT_MANTISSA_BITS);
}
