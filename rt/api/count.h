/* count.h -- how the interceptors of memory and string functions count
 * accesses.
 *
 * An interceptor counts the ranges that the function reads and writes, by the
 * rules of LLVM's runtime, and calls the next definition (the C library's
 * vectorised one) to do the work. Calls inside the C library do not reach the
 * interceptors.
 *
 * Rule for strings: a string counts as read up to and including the character
 * that decides the result, or its terminator. With strict_string_checks=1 it
 * counts as read to its end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/options.h"
#include "rt/heap/shadow.h"
#include "rt/real/real.h"
#include "rt/record/block.h"
#include "rt/record/event.h"

/* Whether accesses are counted now. */
static inline bool mprt_count_is_on(void)
{
    return !mprt_shadow_is_off && MPROF_LIKELY(mprt_real_is_ready) &&
           !mprt_bursts_skip();
}

/* With accesses=1/N: a check. Execute the same number of checks in each call of
 * an interceptor, in a burst or not: bursts are measured in checks. */
static inline void mprt_count_check(void)
{
    if (mprt_bursts_are_on())
        mprt_bursts_check();
}

/* Whether no access is counted now: never (-memprof-access=none), or not in
 * this window of accesses=1/N, for which it is a check. An interceptor then
 * calls the next definition without computing what is accessed. */
static inline bool mprt_count_is_off(void)
{
    mprt_count_check();
    return (mprt_shadow_is_off || mprt_bursts_skip()) && mprt_real_is_ready;
}

/* The same for a function that copies. With the option `copies` each copy is an
 * event, so these functions must still compute its size. */
static inline bool mprt_count_is_off_for_copies(void)
{
    return mprt_count_is_off() && !mprt_options.copies;
}

/* Counts the words of [p, p+n) as read or as written. As in LLVM's runtime, a
 * range that a function both reads and writes counts once. */
static inline void mprt_count(const volatile void *p, size_t n, bool is_write)
{
    if (mprt_count_is_on() && n != 0)
        mprt_shadow_count_block((uintptr_t)p, n, is_write);
}

static inline void mprt_count_read(const volatile void *p, size_t n)
{
    mprt_count(p, n, false);
}

static inline void mprt_count_write(const volatile void *p, size_t n)
{
    mprt_count(p, n, true);
}

/* Counts n written bytes at p, but not past the end of p's block: the kernel
 * reports the full length of an address even if the buffer was shorter. */
static inline void mprt_count_write_within(const void *p, size_t n)
{
    size_t size;

    if (p == NULL || !mprt_count_is_on() || !mprt_heap_contains(p))
        return;
    const char *const start = (const char *)mprt_block_holding(p, &size);
    if (start != NULL)
        mprt_count_write(
            p, mprof_min_u64(n, (uint64_t)(start + size - (const char *)p)));
}

/* Size of the string with its terminator, but not past the end of its block: a
 * path that has no terminator there makes a call fail. 0 if s is in no block.
 */
static inline size_t mprt_count_text_bytes(const char *s)
{
    size_t size;

    if (!mprt_count_is_on() || !mprt_heap_contains(s))
        return 0;
    const char *const start = (const char *)mprt_block_holding(s, &size);
    if (start == NULL)
        return 0;
    const size_t max = (size_t)(start + size - s);
    return mprof_min_u64(MPRT_REAL(strnlen)(s, max) + 1, max);
}

/* Defines an interceptor that calls the next definition and counts afterwards;
 * `done` is the result. */
#define MPRT_COUNTING(name, type, parameters, arguments, accesses) \
    MPRT_INTERFACE type name parameters                            \
    {                                                              \
        type const done = MPRT_REAL(name) arguments;               \
                                                                   \
        accesses;                                                  \
        return done;                                               \
    }

/* Records a copy event of `bytes` bytes by the interceptor `name`, which has
 * made the copy or is about to. Use it in the interceptor itself: it takes the
 * caller's address and frame. */
#define MPRT_COPIED(name, bytes)                          \
    do {                                                  \
        if (MPROF_UNLIKELY(mprt_options.copies))          \
            mprt_event_copy(#name, bytes, MPRT_CALLER()); \
    } while (0)

/* Counts n bytes of the string s as read, or all of s with
 * strict_string_checks=1. */
static inline void mprt_count_string(const char *s, size_t n)
{
    if (!mprt_count_is_on())
        return;
    mprt_count_read(
        s, mprt_options.strict_string_checks ? MPRT_REAL(strlen)(s) + 1 : n);
}
