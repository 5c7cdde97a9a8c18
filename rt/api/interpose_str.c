/* interpose_str.c -- string functions. What each counts was measured with LLVM
 * 22's runtime. Functions that LLVM's runtime does not intercept (stpcpy,
 * strtok_r, strsep, rindex, ...) count like similar ones that it does.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"
#include "rt/api/functions.h"

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

MPRT_COUNTING(strnlen, size_t, (const char *s, size_t max), (s, max),
              mprt_count_read(s, !mprt_options.intercept_strlen ? 0
                                 : done < max                   ? done + 1
                                                                : max))

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

#define COPY_PADDED(name)                                                   \
    MPRT_INTERFACE char *name(char *restrict to, const char *restrict from, \
                              size_t n)                                     \
    {                                                                       \
        if (!mprt_count_is_off_for_copies()) {                              \
            const size_t copied = count_padded(to, from, n);                \
                                                                            \
            MPRT_COPIED(name, copied);                                      \
        }                                                                   \
        return MPRT_REAL(name)(to, from, n);                                \
    }
COPY_PADDED(strncpy)
COPY_PADDED(stpncpy)

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

    if (!mprt_options.intercept_strcmp || !mprt_count_is_on())
        return mprt_real.strcmp(a, b);
    const size_t at = find_difference(a, b, SIZE_MAX, &difference);
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

static void count_case_compared(const char *a, const char *b, size_t max)
{
    if (mprt_count_is_off())
        return;
    const size_t at = find_case_difference(a, b, max);

    if (mprt_options.intercept_strcmp) {
        count_compared(a, at, max);
        count_compared(b, at, max);
    }
}

MPRT_COUNTING(strcasecmp, int, (const char *a, const char *b), (a, b),
              count_case_compared(a, b, SIZE_MAX))
MPRT_COUNTING(strncasecmp, int, (const char *a, const char *b, size_t max),
              (a, b, max), count_case_compared(a, b, max))

/* -- Search ---------------------------------------------------------------- */

/* Counts s as read up to and including `found`, or to its end if `found` is
 * NULL. */
static void count_found(const char *s, const char *found)
{
    if (mprt_options.intercept_strchr && mprt_count_is_on())
        mprt_count_string(s, found != NULL ? (size_t)(found - s) + 1
                                           : mprt_real.strlen(s) + 1);
}

MPRT_COUNTING(strchr, char *, (const char *s, int c), (s, c),
              count_found(s, done))
MPRT_COUNTING(strchrnul, char *, (const char *s, int c), (s, c),
              count_found(s, done))
/* Searches for the last one, so it reads the whole string. */
MPRT_COUNTING(strrchr, char *, (const char *s, int c), (s, c),
              count_found(s, NULL))

MPRT_INTERFACE char *index(const char *s, int c)
{
    char *const found = MPRT_REAL(strchr)(s, c);

    count_found(s, found);
    return found;
}

MPRT_INTERFACE char *rindex(const char *s, int c)
{
    count_found(s, NULL);
    return MPRT_REAL(strrchr)(s, c);
}

static void count_substring(const char *s, const char *what, const char *found)
{
    if (!mprt_options.intercept_strstr || !mprt_count_is_on())
        return;
    const size_t what_bytes = mprt_real.strlen(what);
    mprt_count_string(s, found != NULL ? (size_t)(found - s) + what_bytes
                                       : mprt_real.strlen(s) + 1);
    mprt_count_read(what, what_bytes + 1);
}

MPRT_COUNTING(strstr, char *, (const char *s, const char *what), (s, what),
              count_substring(s, what, done))
MPRT_COUNTING(strcasestr, char *, (const char *s, const char *what), (s, what),
              count_substring(s, what, done))

static void count_span(const char *s, const char *set, size_t n, bool counts)
{
    if (!counts || !mprt_count_is_on())
        return;
    mprt_count_read(set, mprt_real.strlen(set) + 1);
    mprt_count_string(s, n + 1);
}

MPRT_COUNTING(strspn, size_t, (const char *s, const char *set), (s, set),
              count_span(s, set, done, mprt_options.intercept_strspn))
MPRT_COUNTING(strcspn, size_t, (const char *s, const char *set), (s, set),
              count_span(s, set, done, mprt_options.intercept_strspn))
MPRT_COUNTING(strpbrk, char *, (const char *s, const char *set), (s, set),
              if (!mprt_count_is_off())
                  count_span(s, set,
                             done != NULL ? (size_t)(done - s)
                                          : mprt_real.strlen(s),
                             mprt_options.intercept_strpbrk))

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

/* Counts a token, whose end was written if `rest` is just behind it. The last
 * 8 bytes with it then count as written, so all are as many as LLVM counts. */
static void count_token(const char *s, const char *token, const char *rest)
{
    const char *const read = token != NULL ? token : s;

    if (read == NULL || mprt_count_is_off())
        return;
    const size_t n = mprt_real.strlen(read) + 1;
    const bool is_cut = token != NULL && rest == token + n;
    const size_t written = is_cut ? (n - 1) % MPROF_RANGE_WORD_BYTES + 1 : 0;
    if (!mprt_options.strict_string_checks) {
        mprt_count_read(read, n - written);
        mprt_count_write(read + n - written, written);
    } else if (is_cut) {
        mprt_block_mark_unseen(token);
    }
}

#define TOKENS(name, parameters, real, arguments, s, rest) \
    MPRT_INTERFACE char *name parameters                   \
    {                                                      \
        if (!mprt_options.intercept_strtok)                \
            return MPRT_REAL(real) arguments;              \
        count_token_arguments(s, set);                     \
        char *const token = MPRT_REAL(real) arguments;     \
        count_token(s, token, rest);                       \
        mprt_count_write(&(rest), sizeof(rest));           \
        return token;                                      \
    }
TOKENS(strtok_r,
       (char *restrict s, const char *restrict set, char **restrict rest),
       strtok_r, (s, set, rest), s, *rest)
TOKENS(__strtok_r,
       (char *restrict s, const char *restrict set, char **restrict rest),
       __strtok_r, (s, set, rest), s, *rest)
TOKENS(strsep, (char **restrict s, const char *restrict set), strsep, (s, set),
       NULL, *s)

/* What the C library keeps for strtok() is not known, so it is kept here. A
 * program's own strtok_r() may call strtok(). */
static char *strtok_rest;

TOKENS(strtok, (char *restrict s, const char *restrict set), __strtok_r,
       (s, set, &strtok_rest), s, strtok_rest)

/* -- Copies in a new block ------------------------------------------------- */

/* Returns a block with s[0..n) and a terminator, allocated for the caller's
 * context. Writing it is not counted, as in realloc. */
static char *new_string(const char *function, const char *s, size_t n,
                        struct mprt_caller caller)
{
    char *const copy = (char *)mprt_interpose_malloc_new(n + 1, caller);

    if (copy != NULL) {
        if (MPROF_UNLIKELY(mprt_options.copies))
            mprt_event_copy(function, n + 1, caller);
        mprt_real.memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

static char *duplicate(const char *s, struct mprt_caller caller)
{
    const size_t n = mprt_real.strlen(s);

    mprt_count_read(s, n + 1);
    return new_string("strdup", s, n, caller);
}

static char *duplicate_bounded(const char *s, size_t max,
                               struct mprt_caller caller)
{
    const size_t n = MPRT_REAL(strnlen)(s, max);

    if (mprt_options.intercept_strndup)
        mprt_count_string(s, n < max ? n + 1 : max);
    return new_string("strndup", s, n, caller);
}

/* The C library has two names for each of these. A function behind only one of
 * them is a library's own, whose result may be no block of ours. */
MPRT_INTERFACE char *strdup(const char *s)
{
    if (MPROF_UNLIKELY(mprt_real.strdup != mprt_real.__strdup))
        return mprt_real.strdup(s);
    return duplicate(s, MPRT_CALLER());
}

MPRT_INTERFACE char *strndup(const char *s, size_t max)
{
    if (MPROF_UNLIKELY(mprt_real.strndup != mprt_real.__strndup))
        return mprt_real.strndup(s, max);
    return duplicate_bounded(s, max, MPRT_CALLER());
}

/* glibc's other names of these functions. */
MPRT_INTERFACE char *__strdup(const char *s)
{
    return duplicate(s, MPRT_CALLER());
}

MPRT_INTERFACE char *__strndup(const char *s, size_t max)
{
    return duplicate_bounded(s, max, MPRT_CALLER());
}

/* -- Locale ---------------------------------------------------------------- */

static void count_text(const char *s)
{
    if (mprt_count_is_on())
        mprt_count_read(s, mprt_real.strlen(s) + 1);
}

MPRT_COUNTING(strxfrm, size_t,
              (char *restrict to, const char *restrict from, size_t max),
              (to, from, max), count_text(from);
              mprt_count_write(to, done < max ? done + 1 : 0))
/* Comparing by a locale may read all of both strings. */
MPRT_COUNTING(strcoll, int, (const char *a, const char *b), (a, b),
              count_text(a);
              count_text(b))
MPRT_COUNTING(strftime, size_t,
              (char *restrict to, size_t max, const char *restrict format,
               const struct tm *restrict time),
              (to, max, format, time), count_text(format);
              mprt_count_read(time, sizeof(*time));
              mprt_count_write(to, done != 0 ? done + 1 : 0))
