/* interpose_mem.c -- memory functions, and __memprof_mem* of instrumented code.
 *
 * The mem* functions are the most frequently called interceptors, also by other
 * libraries. Counting takes a few instructions; the C library does the work.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"

#include <limits.h>

/* -- Copy, move, set ------------------------------------------------------- */

/* With accesses=1/N: a large range goes through several windows, as in a loop
 * that copies it; else all of it would be in a burst, or nothing. from: NULL if
 * nothing is read. */
static MPRT_NOINLINE void count_in_windows(char *to, const char *from, size_t n)
{
    size_t done = 0;

    do {
        bool counts;
        const size_t part = mprt_bursts_check_range(n - done, &counts);

        if (counts) {
            if (from != NULL)
                mprt_count_read(from + done, part);
            mprt_count_write(to + done, part);
        }
        done += part;
    } while (done < n);
}

static inline void count_copy(void *to, const void *from, size_t n, bool counts)
{
    if (!counts)
        return;
    if (mprt_bursts_are_on()) {
        if (!mprt_bursts_pass_range(n))
            count_in_windows((char *)to, (const char *)from, n);
        return;
    }
    mprt_count_read(from, n);
    mprt_count_write(to, n);
}

static inline void count_set(void *to, size_t n, bool counts)
{
    if (!counts)
        return;
    if (mprt_bursts_are_on()) {
        if (!mprt_bursts_pass_range(n))
            count_in_windows((char *)to, NULL, n);
        return;
    }
    mprt_count_write(to, n);
}

/* Copies like the real function `name`. */
#define COPY(function, name, counts)                                    \
    MPRT_INTERFACE void *function(void *to, const void *from, size_t n) \
    {                                                                   \
        count_copy(to, from, n, counts);                                \
        MPRT_COPIED(name, n);                                           \
        return mprt_real.name(to, from, n);                             \
    }
#define SET(function, counts)                                   \
    MPRT_INTERFACE void *function(void *to, int byte, size_t n) \
    {                                                           \
        count_set(to, n, counts);                               \
        return mprt_real.memset(to, byte, n);                   \
    }
COPY(memcpy, memcpy, mprt_options.intercept_intrin)
COPY(memmove, memmove, mprt_options.intercept_intrin)
SET(memset, mprt_options.intercept_intrin)

/* The pass replaces memory intrinsics by these functions. They count whatever
 * intercept_intrin says. */
void *__memprof_memcpy(void *to, const void *from, size_t n);
void *__memprof_memmove(void *to, const void *from, size_t n);
void *__memprof_memset(void *to, int byte, size_t n);
COPY(__memprof_memcpy, memcpy, true)
COPY(__memprof_memmove, memmove, true)
SET(__memprof_memset, true)

/* For code whose accesses must not be counted. */
void *__sanitizer_internal_memcpy(void *to, const void *from, size_t n);
void *__sanitizer_internal_memmove(void *to, const void *from, size_t n);
void *__sanitizer_internal_memset(void *to, int byte, size_t n);
SET(__sanitizer_internal_memset, false)

MPRT_INTERFACE void *__sanitizer_internal_memcpy(void *to, const void *from,
                                                 size_t n)
{
    return mprt_real.memcpy(to, from, n);
}

MPRT_INTERFACE void *__sanitizer_internal_memmove(void *to, const void *from,
                                                  size_t n)
{
    return mprt_real.memmove(to, from, n);
}

MPRT_INTERFACE void bzero(void *to, size_t n)
{
    count_set(to, n, true);
    mprt_real.memset(to, 0, n);
}

void __bzero(void *to, size_t n);

MPRT_INTERFACE void __bzero(void *to, size_t n)
{
    count_set(to, n, true);
    mprt_real.memset(to, 0, n);
}

MPRT_INTERFACE void explicit_bzero(void *to, size_t n)
{
    mprt_count_write(to, n);
    MPRT_REAL(explicit_bzero)(to, n);
}

MPRT_INTERFACE void bcopy(const void *from, void *to, size_t n)
{
    count_copy(to, from, n, true);
    MPRT_COPIED(bcopy, n);
    mprt_real.memmove(to, from, n);
}

MPRT_INTERFACE void *mempcpy(void *restrict to, const void *restrict from,
                             size_t n)
{
    count_copy(to, from, n, mprt_options.intercept_intrin);
    MPRT_COPIED(mempcpy, n);
    return (char *)mprt_real.memcpy(to, from, n) + n;
}

MPRT_INTERFACE void *memccpy(void *restrict to, const void *restrict from,
                             int byte, size_t n)
{
    char *const end = (char *)MPRT_REAL(memccpy)(to, from, byte, n);
    const size_t copied = end != NULL ? (size_t)(end - (char *)to) : n;

    count_copy(to, from, copied, true);
    MPRT_COPIED(memccpy, copied);
    return end;
}

/* -- Compare, search ------------------------------------------------------- */

static inline uint64_t word_at(const char *p)
{
    uint64_t word;

    __builtin_memcpy(&word, p, sizeof(word));
    return word;
}

/* Number of bytes up to and including the first difference. */
static size_t compared_bytes(const void *a, const void *b, size_t n)
{
    const char *const x = (const char *)a;
    const char *const y = (const char *)b;
    size_t i = 0;

    for (; n - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
        const uint64_t differing = word_at(x + i) ^ word_at(y + i);
        if (differing != 0)
            return i + (size_t)__builtin_ctzll(differing) / CHAR_BIT + 1;
    }
    while (i < n && x[i] == y[i])
        i++;
    return i < n ? i + 1 : n;
}

static int count_memcmp(const void *a, const void *b, size_t n)
{
    if (mprt_count_is_on() && mprt_options.intercept_memcmp &&
        (mprt_heap_contains(a) || mprt_heap_contains(b))) {
        const size_t bytes =
            mprt_options.strict_memcmp ? n : compared_bytes(a, b, n);

        mprt_count_read(a, bytes);
        mprt_count_read(b, bytes);
    }
    return mprt_real.memcmp(a, b, n);
}

MPRT_INTERFACE int memcmp(const void *a, const void *b, size_t n)
{
    return count_memcmp(a, b, n);
}

MPRT_INTERFACE int bcmp(const void *a, const void *b, size_t n)
{
    return count_memcmp(a, b, n);
}

MPRT_COUNTING(memchr, void *, (const void *s, int byte, size_t n), (s, byte, n),
              mprt_count_read(s,
                              done != NULL
                                  ? (size_t)((char *)done - (const char *)s) + 1
                                  : n))
/* Counts all of s: from which end the C library searches is not known. */
MPRT_COUNTING(memrchr, void *, (const void *s, int byte, size_t n),
              (s, byte, n), mprt_count_read(s, n))
MPRT_COUNTING(rawmemchr, void *, (const void *s, int byte), (s, byte),
              mprt_count_read(s, (size_t)((char *)done - (const char *)s) + 1))

MPRT_INTERFACE void *memmem(const void *s, size_t s_bytes, const void *what,
                            size_t what_bytes)
{
    if (mprt_options.intercept_memmem) {
        mprt_count_read(s, s_bytes);
        mprt_count_read(what, what_bytes);
    }
    return MPRT_REAL(memmem)(s, s_bytes, what, what_bytes);
}
