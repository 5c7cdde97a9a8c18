/* base.h -- what every file of every component may rely on: fixed-width types,
 * attributes, small arithmetic. Freestanding; includes nothing of ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_BASE_H
#define MPROF_BASE_H

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

/* Less than, equal to or greater than 0, as qsort() asks. */
static inline int mprof_compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* a + b, or UINT64_MAX where the sum does not fit: totals saturate, they never
 * wrap. Saturating addition of unsigned numbers is associative and
 * commutative, so a merge may use it in any grouping. */
static inline uint64_t mprof_add_sat_u64(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* a - b, or 0 where b is larger. */
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

/* Rounds up to a multiple of align, a power of two. The caller makes sure that
 * n + align - 1 fits. */
static inline uint64_t mprof_round_up(uint64_t n, uint64_t align)
{
    return (n + align - 1) & ~(align - 1);
}

static inline uint64_t mprof_round_down(uint64_t n, uint64_t align)
{
    return n & ~(align - 1);
}

#endif
