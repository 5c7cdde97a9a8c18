/* count.h -- how the interposers of memory and string functions count.
 *
 * An interposer counts what the function reads and writes, as ranges, by the
 * rules of LLVM's runtime, and leaves the work to the next definition (the C
 * library's, vectorised). The C library's own calls inside do not come here.
 *
 * The rule for a string that a function looks at: it is read up to and
 * including the character that decides, or its terminator;
 * strict_string_checks=1 counts it to its end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_COUNT_H
#define MPRT_COUNT_H

#include "rt/base/options.h"
#include "rt/heap/shadow.h"
#include "rt/real/real.h"
#include "rt/record/block.h"
#include "rt/record/event.h"
#include "rt/stack/unwind.h"

/* True where what is accessed is counted. */
static inline bool mprt_count_is_on(void)
{
    return !mprt_shadow_is_off && MPROF_LIKELY(mprt_real_is_ready);
}

/* True where it never is, by -memprof-access=none: the next definition does all
 * of the work, and nobody asks what it looks at. */
static inline bool mprt_count_is_off(void)
{
    return mprt_shadow_is_off && mprt_real_is_ready;
}

/* The same of a function that copies, unless copies are events. */
static inline bool mprt_count_is_off_for_copies(void)
{
    return mprt_count_is_off() && !mprt_options.copies;
}

/* Counts the words of [p, p+n) as read, or as written: what LLVM's runtime
 * names a range that is read or written, so one that is both counts as one. */
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

/* The same of n bytes that are written at p, as far as p's block goes: the
 * kernel says how long an address is, not what there was room for. */
static inline void mprt_count_write_within(const void *p, size_t n)
{
    size_t size;
    const char *start;

    if (p == NULL || !mprt_count_is_on() || !mprt_heap_contains(p))
        return;
    start = (const char *)mprt_block_holding(p, &size);
    if (start != NULL)
        mprt_count_write(
            p, mprof_min_u64(n, (uint64_t)(start + size - (const char *)p)));
}

/* In a function of the program's: the one of that name has copied, or is about
 * to copy, so many bytes. */
#define MPRT_COPIED(name, bytes)                            \
    do {                                                    \
        if (MPROF_UNLIKELY(mprt_options.copies))            \
            mprt_event_copy(#name, bytes, MPRT_CALLER_PC(), \
                            MPRT_CALLER_FRAME());           \
    } while (0)

/* Counts n bytes of the string s as read, or all of it where checks are strict.
 */
static inline void mprt_count_string(const char *s, size_t n)
{
    if (!mprt_count_is_on())
        return;
    mprt_count_read(
        s, mprt_options.strict_string_checks ? MPRT_REAL(strlen)(s) + 1 : n);
}

#endif
