/* interpose_str.c -- string functions. What each counts was measured with LLVM
 * 22's runtime. Functions that LLVM's runtime does not intercept (stpcpy,
 * strtok_r, strsep, rindex, ...) count like similar ones that it does.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"
#include "rt/api/interpose_malloc.h"
#include "rt/stack/unwind.h"

/* Smallest page of the processor. */
#define PAGE_BYTES_MIN 4096u

/* -- Length ---------------------------------------------------------------- */

MPRT_INTERFACE size_t strlen(const char *s)
{
    if (mprt_count_is_off())
        return mprt_real.strlen(s);
    const size_t n = mprt_real.strlen(s);

    if (mprt_options.intercept_strlen)
        mprt_count_read(s, n + 1);
    return n;
}

MPRT_INTERFACE size_t strnlen(const char *s, size_t max)
{
    const size_t n = MPRT_REAL(strnlen)(s, max);

    if (mprt_options.intercept_strlen)
        mprt_count_read(s, n < max ? n + 1 : max);
    return n;
}

/* -- Copy ------------------------------------------------------------------ */

/* Counts the copy of a whole string. Returns its length without the
 * terminator. */
static size_t count_copied(const char *to, const char *from)
{
    const size_t n = mprt_real.strlen(from);

    mprt_count_read(from, n + 1);
    mprt_count_write(to, n + 1);
    return n;
}

MPRT_INTERFACE char *strcpy(char *restrict to, const char *restrict from)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(strcpy)(to, from);
    const size_t n = count_copied(to, from);

    MPRT_COPIED(strcpy, n + 1);
    return (char *)mprt_real.memcpy(to, from, n + 1);
}

MPRT_INTERFACE char *stpcpy(char *restrict to, const char *restrict from)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(stpcpy)(to, from);
    const size_t n = count_copied(to, from);

    MPRT_COPIED(stpcpy, n + 1);
    return (char *)mprt_real.memcpy(to, from, n + 1) + n;
}

/* Counts a copy that is padded to n bytes (strncpy, stpncpy). Returns the
 * number of bytes copied. */
static size_t count_padded(const char *to, const char *from, size_t n)
{
    const size_t from_bytes = MPRT_REAL(strnlen)(from, n);
    const size_t copied = from_bytes < n ? from_bytes + 1 : n;

    mprt_count_read(from, copied);
    mprt_count_write(to, n);
    return copied;
}

MPRT_INTERFACE char *strncpy(char *restrict to, const char *restrict from,
                             size_t n)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(strncpy)(to, from, n);
    const size_t copied = count_padded(to, from, n);

    MPRT_COPIED(strncpy, copied);
    return MPRT_REAL(strncpy)(to, from, n);
}

MPRT_INTERFACE char *stpncpy(char *restrict to, const char *restrict from,
                             size_t n)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(stpncpy)(to, from, n);
    const size_t copied = count_padded(to, from, n);

    MPRT_COPIED(stpncpy, copied);
    return MPRT_REAL(stpncpy)(to, from, n);
}

/* Called before the copy, because it reads `to` up to its old end. */
static void count_append(const char *to, const char *from, size_t read_bytes,
                         size_t copied)
{
    const size_t to_bytes = mprt_real.strlen(to);

    mprt_count_read(from, read_bytes);
    mprt_count_read(to, to_bytes);
    mprt_count_write(to + to_bytes, copied + 1);
}

MPRT_INTERFACE char *strcat(char *restrict to, const char *restrict from)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(strcat)(to, from);
    const size_t n = mprt_real.strlen(from);

    count_append(to, from, n + 1, n);
    MPRT_COPIED(strcat, n + 1);
    return MPRT_REAL(strcat)(to, from);
}

MPRT_INTERFACE char *strncat(char *restrict to, const char *restrict from,
                             size_t max)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(strncat)(to, from, max);
    const size_t n = MPRT_REAL(strnlen)(from, max);

    count_append(to, from, n < max ? n + 1 : max, n);
    MPRT_COPIED(strncat, n + 1);
    return MPRT_REAL(strncat)(to, from, max);
}

/* -- Compare --------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

struct word {
    uint64_t value;
} __attribute__((packed, may_alias));

/* Whether the eight bytes at s are in one page: then they are readable if the
 * first is. */
static bool is_word_safe(const char *s)
{
    return ((uintptr_t)s & (PAGE_BYTES_MIN - 1)) <= PAGE_BYTES_MIN - 8;
}

/* Whether a and b have the same eight bytes, none of them a terminator. */
static bool are_words_equal(const char *a, const char *b)
{
    const uint64_t x = ((const struct word *)(const void *)a)->value;
    const uint64_t y = ((const struct word *)(const void *)b)->value;
    const uint64_t ones = UINT64_C(0x0101010101010101);

    return x == y && ((x - ones) & ~x & ones << 7) == 0;
}

/* Returns where the comparison of a and b ends: at their first difference, the
 * end of both, or max. Sets *difference to the difference of the characters
 * there, 0 at max. */
static size_t find_difference(const char *a, const char *b, size_t max,
                              int *difference)
{
    size_t i = 0;

    while (max - i >= 8 && is_word_safe(a + i) && is_word_safe(b + i) &&
           are_words_equal(a + i, b + i))
        i += 8;
    /* Compares the characters next to a page's end one by one, and then by
     * words again. */
    while (i < max && a[i] == b[i] && a[i] != '\0') {
        i++;
        if (max - i >= 8 && is_word_safe(a + i) && is_word_safe(b + i) &&
            are_words_equal(a + i, b + i))
            i += 8;
    }
    *difference = i < max ? (unsigned char)a[i] - (unsigned char)b[i] : 0;
    return i;
}

/* Like find_difference(), but ignores the case of ASCII letters. */
static size_t find_case_difference(const char *a, const char *b, size_t max)
{
    size_t i = 0;

    while (i < max && lower(a[i]) == lower(b[i]) && a[i] != '\0')
        i++;
    return i;
}

/* Counts s as read up to and including s[at], but not beyond max. */
static void count_compared(const char *s, size_t at, size_t max)
{
    size_t bytes = at < max ? at + 1 : max;

    if (!mprt_real_is_ready)
        return;
    if (mprt_options.strict_string_checks) {
        const size_t n = MPRT_REAL(strnlen)(s, max);

        bytes = n < max ? n + 1 : max;
    }
    mprt_count_read(s, bytes);
}

MPRT_INTERFACE int strcmp(const char *a, const char *b)
{
    int difference;
    size_t at;

    if (!mprt_options.intercept_strcmp || !mprt_count_is_on())
        return mprt_real.strcmp(a, b);
    at = find_difference(a, b, SIZE_MAX, &difference);
    count_compared(a, at, SIZE_MAX);
    count_compared(b, at, SIZE_MAX);
    return difference;
}

MPRT_INTERFACE int strncmp(const char *a, const char *b, size_t max)
{
    if (mprt_count_is_off())
        return MPRT_REAL(strncmp)(a, b, max);
    int difference;
    const size_t at = find_difference(a, b, max, &difference);

    if (mprt_options.intercept_strcmp) {
        count_compared(a, at, max);
        count_compared(b, at, max);
    }
    return difference;
}

MPRT_INTERFACE int strcasecmp(const char *a, const char *b)
{
    if (mprt_count_is_off())
        return MPRT_REAL(strcasecmp)(a, b);
    const size_t at = find_case_difference(a, b, SIZE_MAX);

    if (mprt_options.intercept_strcmp) {
        count_compared(a, at, SIZE_MAX);
        count_compared(b, at, SIZE_MAX);
    }
    return MPRT_REAL(strcasecmp)(a, b);
}

MPRT_INTERFACE int strncasecmp(const char *a, const char *b, size_t max)
{
    if (mprt_count_is_off())
        return MPRT_REAL(strncasecmp)(a, b, max);
    const size_t at = find_case_difference(a, b, max);

    if (mprt_options.intercept_strcmp) {
        count_compared(a, at, max);
        count_compared(b, at, max);
    }
    return MPRT_REAL(strncasecmp)(a, b, max);
}

/* -- Search ---------------------------------------------------------------- */

/* Counts s as read up to and including `found`, or to its end if `found` is
 * NULL. */
static void count_found(const char *s, const char *found)
{
    if (mprt_options.intercept_strchr && mprt_count_is_on())
        mprt_count_string(s, found != NULL ? (size_t)(found - s) + 1
                                           : mprt_real.strlen(s) + 1);
}

MPRT_INTERFACE char *strchr(const char *s, int c)
{
    char *const found = MPRT_REAL(strchr)(s, c);

    count_found(s, found);
    return found;
}

MPRT_INTERFACE char *index(const char *s, int c)
{
    char *const found = MPRT_REAL(strchr)(s, c);

    count_found(s, found);
    return found;
}

MPRT_INTERFACE char *strchrnul(const char *s, int c)
{
    char *const found = MPRT_REAL(strchrnul)(s, c);

    count_found(s, found);
    return found;
}

/* strrchr searches for the last one, so it reads the whole string. */
MPRT_INTERFACE char *strrchr(const char *s, int c)
{
    count_found(s, NULL);
    return MPRT_REAL(strrchr)(s, c);
}

MPRT_INTERFACE char *rindex(const char *s, int c)
{
    count_found(s, NULL);
    return MPRT_REAL(strrchr)(s, c);
}

static void count_substring(const char *s, const char *what, const char *found)
{
    size_t what_bytes;

    if (!mprt_options.intercept_strstr || !mprt_count_is_on())
        return;
    what_bytes = mprt_real.strlen(what);
    mprt_count_string(s, found != NULL ? (size_t)(found - s) + what_bytes
                                       : mprt_real.strlen(s) + 1);
    mprt_count_read(what, what_bytes + 1);
}

MPRT_INTERFACE char *strstr(const char *s, const char *what)
{
    char *const found = MPRT_REAL(strstr)(s, what);

    count_substring(s, what, found);
    return found;
}

MPRT_INTERFACE char *strcasestr(const char *s, const char *what)
{
    char *const found = MPRT_REAL(strcasestr)(s, what);

    count_substring(s, what, found);
    return found;
}

static void count_span(const char *s, const char *set, size_t n, bool counts)
{
    if (!counts || !mprt_count_is_on())
        return;
    mprt_count_read(set, mprt_real.strlen(set) + 1);
    mprt_count_string(s, n + 1);
}

MPRT_INTERFACE size_t strspn(const char *s, const char *set)
{
    const size_t n = MPRT_REAL(strspn)(s, set);

    count_span(s, set, n, mprt_options.intercept_strspn);
    return n;
}

MPRT_INTERFACE size_t strcspn(const char *s, const char *set)
{
    const size_t n = MPRT_REAL(strcspn)(s, set);

    count_span(s, set, n, mprt_options.intercept_strspn);
    return n;
}

MPRT_INTERFACE char *strpbrk(const char *s, const char *set)
{
    char *const found = MPRT_REAL(strpbrk)(s, set);

    if (!mprt_count_is_off())
        count_span(s, set,
                   found != NULL ? (size_t)(found - s) : mprt_real.strlen(s),
                   mprt_options.intercept_strpbrk);
    return found;
}

/* -- Tokens ---------------------------------------------------------------- */

/* LLVM's rule for tokens, split into the parts before and after the call.
 * Before: the first character of each argument. After: the token, or all of s
 * if there was none. With strict_string_checks=1: both arguments whole, and
 * nothing after. */
static void count_token_arguments(const char *s, const char *set)
{
    if (s != NULL)
        mprt_count_string(s, 1);
    mprt_count_string(set, 1);
}

static void count_token(const char *s, const char *token)
{
    const char *const read = token != NULL ? token : s;

    if (!mprt_options.strict_string_checks && read != NULL &&
        !mprt_count_is_off())
        mprt_count_read(read, mprt_real.strlen(read) + 1);
}

MPRT_INTERFACE char *strtok(char *restrict s, const char *restrict set)
{
    char *token;

    if (!mprt_options.intercept_strtok)
        return MPRT_REAL(strtok)(s, set);
    count_token_arguments(s, set);
    token = MPRT_REAL(strtok)(s, set);
    count_token(s, token);
    return token;
}

MPRT_INTERFACE char *strtok_r(char *restrict s, const char *restrict set,
                              char **restrict rest)
{
    char *token;

    if (!mprt_options.intercept_strtok)
        return MPRT_REAL(strtok_r)(s, set, rest);
    count_token_arguments(s, set);
    token = MPRT_REAL(strtok_r)(s, set, rest);
    count_token(s, token);
    return token;
}

MPRT_INTERFACE char *strsep(char **restrict s, const char *restrict set)
{
    char *token;

    if (!mprt_options.intercept_strtok)
        return MPRT_REAL(strsep)(s, set);
    count_token_arguments(NULL, set);
    token = MPRT_REAL(strsep)(s, set);
    count_token(NULL, token);
    return token;
}

/* -- Copies in a new block ------------------------------------------------- */

/* Returns a block with s[0..n) and a terminator, allocated for the caller's
 * context. Writing it is not counted, as in realloc. */
static char *new_string(const char *function, const char *s, size_t n,
                        uintptr_t caller_pc, uintptr_t caller_frame)
{
    char *const copy =
        (char *)mprt_interpose_malloc_new(n + 1, caller_pc, caller_frame);

    if (copy != NULL) {
        if (MPROF_UNLIKELY(mprt_options.copies))
            mprt_event_copy(function, n + 1, caller_pc, caller_frame);
        mprt_real.memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

static char *duplicate(const char *s, uintptr_t caller_pc,
                       uintptr_t caller_frame)
{
    const size_t n = mprt_real.strlen(s);

    mprt_count_read(s, n + 1);
    return new_string("strdup", s, n, caller_pc, caller_frame);
}

static char *duplicate_bounded(const char *s, size_t max, uintptr_t caller_pc,
                               uintptr_t caller_frame)
{
    const size_t n = MPRT_REAL(strnlen)(s, max);

    if (mprt_options.intercept_strndup)
        mprt_count_string(s, n < max ? n + 1 : max);
    return new_string("strndup", s, n, caller_pc, caller_frame);
}

/* The C library has two names for each of these. A function behind only one of
 * them is a library's own, whose result may be no block of ours. */
MPRT_INTERFACE char *strdup(const char *s)
{
    if (MPROF_UNLIKELY(mprt_real.strdup != mprt_real.__strdup))
        return mprt_real.strdup(s);
    return duplicate(s, MPRT_CALLER_PC(), MPRT_CALLER_FRAME());
}

MPRT_INTERFACE char *strndup(const char *s, size_t max)
{
    if (MPROF_UNLIKELY(mprt_real.strndup != mprt_real.__strndup))
        return mprt_real.strndup(s, max);
    return duplicate_bounded(s, max, MPRT_CALLER_PC(), MPRT_CALLER_FRAME());
}

/* glibc's other names of these functions. */
MPRT_INTERFACE char *__strdup(const char *s)
{
    return duplicate(s, MPRT_CALLER_PC(), MPRT_CALLER_FRAME());
}

MPRT_INTERFACE char *__strndup(const char *s, size_t max)
{
    return duplicate_bounded(s, max, MPRT_CALLER_PC(), MPRT_CALLER_FRAME());
}

/* -- Locale ---------------------------------------------------------------- */

MPRT_INTERFACE size_t strxfrm(char *restrict to, const char *restrict from,
                              size_t max)
{
    const size_t n = MPRT_REAL(strxfrm)(to, from, max);

    if (mprt_count_is_off())
        return n;
    mprt_count_read(from, mprt_real.strlen(from) + 1);
    if (n < max)
        mprt_count_write(to, n + 1);
    return n;
}

/* Comparing by a locale may read all of both strings. */
MPRT_INTERFACE int strcoll(const char *a, const char *b)
{
    if (mprt_count_is_off())
        return MPRT_REAL(strcoll)(a, b);
    if (mprt_real_is_ready) {
        mprt_count_read(a, mprt_real.strlen(a) + 1);
        mprt_count_read(b, mprt_real.strlen(b) + 1);
    }
    return MPRT_REAL(strcoll)(a, b);
}

MPRT_INTERFACE size_t strftime(char *restrict to, size_t max,
                               const char *restrict format,
                               const struct tm *restrict time)
{
    const size_t n = MPRT_REAL(strftime)(to, max, format, time);

    if (mprt_count_is_off())
        return n;
    mprt_count_read(format, mprt_real.strlen(format) + 1);
    mprt_count_read(time, sizeof(*time));
    if (n != 0)
        mprt_count_write(to, n + 1);
    return n;
}
