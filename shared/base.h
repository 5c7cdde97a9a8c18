/* base.h -- fixed-width types, attributes and small arithmetic for all files of
 * all components. Freestanding; includes no other header of the project.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MPROF_NODISCARD __attribute__((warn_unused_result))
#define MPROF_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define MPROF_LIKELY(x) __builtin_expect(!!(x), 1)
#define MPROF_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define MPROF_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static inline uint64_t mprof_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t mprof_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* For qsort(): less than, equal to or greater than 0. */
static inline int mprof_compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Likewise, by two numbers: c and d decide if a and b are equal. */
static inline int mprof_compare_u64_pair(uint64_t a, uint64_t b, uint64_t c,
                                         uint64_t d)
{
    return a != b ? mprof_compare_u64(a, b) : mprof_compare_u64(c, d);
}

/* Defines a function for qsort() that compares rows a and b of a type. `order`
 * consists of MPROF_UP(member), the smallest first, and MPROF_DOWN(member), the
 * largest first, joined by ?: for further members of rows that are equal. */
#define MPROF_COMPARATOR(name, type, order)              \
    static int name(const void *left, const void *right) \
    {                                                    \
        const type *const a = (const type *)left;        \
        const type *const b = (const type *)right;       \
                                                         \
        return order;                                    \
    }
#define MPROF_UP(member) ((a->member > b->member) - (a->member < b->member))
#define MPROF_DOWN(member) (-MPROF_UP(member))

/* a + b, or UINT64_MAX if the sum does not fit. Saturating addition of unsigned
 * numbers is associative and commutative, so the order of merging does not
 * matter. */
static inline uint64_t mprof_add_sat_u64(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* a - b, or 0 if b is larger. */
static inline uint64_t mprof_sub_sat_u64(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* a * b, saturating. */
static inline uint64_t mprof_mul_sat_u64(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Rounds n up to a multiple of align, a power of two. n + align - 1 must not
 * overflow. */
static inline uint64_t mprof_round_up(uint64_t n, uint64_t align)
{
    return (n + align - 1) & ~(align - 1);
}

/* Rounds n down to a multiple of align, a power of two. */
static inline uint64_t mprof_round_down(uint64_t n, uint64_t align)
{
    return n & ~(align - 1);
}
