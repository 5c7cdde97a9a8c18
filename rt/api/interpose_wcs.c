/* interpose_wcs.c -- functions of wide and multibyte strings. What each counts
 * was measured with LLVM 22's runtime. Functions that LLVM's runtime does not
 * intercept (wcscpy, wcscmp, wcschr, wmem*, ...) count like the functions of
 * char strings.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"
#include "rt/api/interpose_malloc.h"
#include "rt/stack/unwind.h"

static void count_wide_read(const wchar_t *s, size_t n)
{
    mprt_count_read(s, n * sizeof(*s));
}

static void count_wide_write(const wchar_t *s, size_t n)
{
    mprt_count_write(s, n * sizeof(*s));
}

static size_t length_with_end(const wchar_t *s, size_t max)
{
    const size_t n = MPRT_REAL(wcsnlen)(s, max);

    return n < max ? n + 1 : max;
}

/* -- Strings --------------------------------------------------------------- */

MPRT_INTERFACE size_t wcslen(const wchar_t *s)
{
    const size_t n = MPRT_REAL(wcslen)(s);

    count_wide_read(s, n + 1);
    return n;
}

MPRT_INTERFACE size_t wcsnlen(const wchar_t *s, size_t max)
{
    const size_t n = MPRT_REAL(wcsnlen)(s, max);

    count_wide_read(s, n < max ? n + 1 : max);
    return n;
}

MPRT_INTERFACE wchar_t *wcscpy(wchar_t *restrict to,
                               const wchar_t *restrict from)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(wcscpy)(to, from);
    const size_t n = MPRT_REAL(wcslen)(from) + 1;

    count_wide_read(from, n);
    count_wide_write(to, n);
    MPRT_COPIED(wcscpy, n * sizeof(*to));
    return MPRT_REAL(wcscpy)(to, from);
}

MPRT_INTERFACE wchar_t *wcsncpy(wchar_t *restrict to,
                                const wchar_t *restrict from, size_t n)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(wcsncpy)(to, from, n);
    count_wide_read(from, length_with_end(from, n));
    count_wide_write(to, n);
    MPRT_COPIED(wcsncpy, length_with_end(from, n) * sizeof(*to));
    return MPRT_REAL(wcsncpy)(to, from, n);
}

MPRT_INTERFACE wchar_t *wcscat(wchar_t *restrict to,
                               const wchar_t *restrict from)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(wcscat)(to, from);
    const size_t n = MPRT_REAL(wcslen)(from);
    const size_t to_n = MPRT_REAL(wcslen)(to);

    count_wide_read(from, n + 1);
    count_wide_read(to, to_n + 1);
    count_wide_write(to + to_n, n + 1);
    MPRT_COPIED(wcscat, (n + 1) * sizeof(*to));
    return MPRT_REAL(wcscat)(to, from);
}

MPRT_INTERFACE wchar_t *wcsncat(wchar_t *restrict to,
                                const wchar_t *restrict from, size_t max)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(wcsncat)(to, from, max);
    const size_t n = MPRT_REAL(wcsnlen)(from, max);
    const size_t to_n = MPRT_REAL(wcslen)(to);

    count_wide_read(from, n < max ? n + 1 : max);
    count_wide_read(to, to_n + 1);
    count_wide_write(to + to_n, n + 1);
    MPRT_COPIED(wcsncat, (n + 1) * sizeof(*to));
    return MPRT_REAL(wcsncat)(to, from, max);
}

/* Counts the copy as written, like LLVM's runtime (which does not for
 * strdup). */
MPRT_INTERFACE wchar_t *wcsdup(const wchar_t *s)
{
    const size_t n = MPRT_REAL(wcslen)(s) + 1;
    wchar_t *const copy = (wchar_t *)mprt_interpose_malloc_new(
        n * sizeof(*s), MPRT_CALLER_PC(), MPRT_CALLER_FRAME());

    count_wide_read(s, n);
    if (copy != NULL) {
        count_wide_write(copy, n);
        MPRT_COPIED(wcsdup, n * sizeof(*s));
        mprt_real.memcpy(copy, s, n * sizeof(*s));
    }
    return copy;
}

static size_t find_difference(const wchar_t *a, const wchar_t *b, size_t max)
{
    size_t i = 0;

    while (i < max && a[i] == b[i] && a[i] != L'\0')
        i++;
    return i < max ? i + 1 : max;
}

MPRT_INTERFACE int wcscmp(const wchar_t *a, const wchar_t *b)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcscmp)(a, b);
    const size_t n = find_difference(a, b, SIZE_MAX);

    count_wide_read(a, n);
    count_wide_read(b, n);
    return MPRT_REAL(wcscmp)(a, b);
}

MPRT_INTERFACE int wcsncmp(const wchar_t *a, const wchar_t *b, size_t max)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcsncmp)(a, b, max);
    const size_t n = find_difference(a, b, max);

    count_wide_read(a, n);
    count_wide_read(b, n);
    return MPRT_REAL(wcsncmp)(a, b, max);
}

MPRT_INTERFACE wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcschr)(s, c);
    wchar_t *const found = MPRT_REAL(wcschr)(s, c);

    count_wide_read(
        s, (found != NULL ? (size_t)(found - s) : MPRT_REAL(wcslen)(s)) + 1);
    return found;
}

MPRT_INTERFACE wchar_t *wcsrchr(const wchar_t *s, wchar_t c)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcsrchr)(s, c);
    count_wide_read(s, MPRT_REAL(wcslen)(s) + 1);
    return MPRT_REAL(wcsrchr)(s, c);
}

MPRT_INTERFACE wchar_t *wcpcpy(wchar_t *restrict to,
                               const wchar_t *restrict from)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(wcpcpy)(to, from);
    const size_t n = MPRT_REAL(wcslen)(from) + 1;

    count_wide_read(from, n);
    count_wide_write(to, n);
    MPRT_COPIED(wcpcpy, n * sizeof(*to));
    return MPRT_REAL(wcpcpy)(to, from);
}

MPRT_INTERFACE wchar_t *wcpncpy(wchar_t *restrict to,
                                const wchar_t *restrict from, size_t n)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(wcpncpy)(to, from, n);
    count_wide_read(from, length_with_end(from, n));
    count_wide_write(to, n);
    MPRT_COPIED(wcpncpy, length_with_end(from, n) * sizeof(*to));
    return MPRT_REAL(wcpncpy)(to, from, n);
}

/* Number of characters up to and including the first that differ regardless of
 * case: the length of the shortest prefixes that do not compare equal. */
static size_t find_case_difference(const wchar_t *a, const wchar_t *b,
                                   size_t max)
{
    size_t low = 0;
    size_t high = length_with_end(a, max);

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (MPRT_REAL(wcsncasecmp)(a, b, middle + 1) == 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < length_with_end(a, max) ? low + 1 : low;
}

MPRT_INTERFACE int wcscasecmp(const wchar_t *a, const wchar_t *b)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcscasecmp)(a, b);
    const size_t n = find_case_difference(a, b, SIZE_MAX);

    count_wide_read(a, n);
    count_wide_read(b, n);
    return MPRT_REAL(wcscasecmp)(a, b);
}

MPRT_INTERFACE int wcsncasecmp(const wchar_t *a, const wchar_t *b, size_t max)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcsncasecmp)(a, b, max);
    const size_t n = find_case_difference(a, b, max);

    count_wide_read(a, n);
    count_wide_read(b, n);
    return MPRT_REAL(wcsncasecmp)(a, b, max);
}

MPRT_INTERFACE wchar_t *wcsstr(const wchar_t *s, const wchar_t *what)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcsstr)(s, what);
    wchar_t *const found = MPRT_REAL(wcsstr)(s, what);
    const size_t n = MPRT_REAL(wcslen)(what);

    count_wide_read(s, found != NULL ? (size_t)(found - s) + n
                                     : MPRT_REAL(wcslen)(s) + 1);
    count_wide_read(what, n + 1);
    return found;
}

/* Counts s up to the character that decides, and all of the set. */
static void count_span(const wchar_t *s, const wchar_t *set, size_t n)
{
    if (mprt_count_is_off())
        return;
    count_wide_read(s, n + 1);
    count_wide_read(set, MPRT_REAL(wcslen)(set) + 1);
}

MPRT_INTERFACE size_t wcsspn(const wchar_t *s, const wchar_t *set)
{
    const size_t n = MPRT_REAL(wcsspn)(s, set);

    count_span(s, set, n);
    return n;
}

MPRT_INTERFACE size_t wcscspn(const wchar_t *s, const wchar_t *set)
{
    const size_t n = MPRT_REAL(wcscspn)(s, set);

    count_span(s, set, n);
    return n;
}

MPRT_INTERFACE wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcspbrk)(s, set);
    wchar_t *const found = MPRT_REAL(wcspbrk)(s, set);

    count_span(s, set,
               found != NULL ? (size_t)(found - s) : MPRT_REAL(wcslen)(s));
    return found;
}

/* Counts like strtok_r: the first character of each argument, then the
 * token. */
MPRT_INTERFACE wchar_t *wcstok(wchar_t *restrict s, const wchar_t *restrict set,
                               wchar_t **restrict rest)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcstok)(s, set, rest);
    if (s != NULL)
        count_wide_read(s, 1);
    count_wide_read(set, 1);
    wchar_t *const token = MPRT_REAL(wcstok)(s, set, rest);
    const wchar_t *const read = token != NULL ? token : s;
    if (read != NULL)
        count_wide_read(read, MPRT_REAL(wcslen)(read) + 1);
    return token;
}

MPRT_INTERFACE size_t wcsxfrm(wchar_t *restrict to,
                              const wchar_t *restrict from, size_t max)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcsxfrm)(to, from, max);
    const size_t n = MPRT_REAL(wcsxfrm)(to, from, max);

    count_wide_read(from, MPRT_REAL(wcslen)(from) + 1);
    if (n < max)
        count_wide_write(to, n + 1);
    return n;
}

MPRT_INTERFACE int wcscoll(const wchar_t *a, const wchar_t *b)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcscoll)(a, b);
    count_wide_read(a, MPRT_REAL(wcslen)(a) + 1);
    count_wide_read(b, MPRT_REAL(wcslen)(b) + 1);
    return MPRT_REAL(wcscoll)(a, b);
}

MPRT_INTERFACE size_t wcsftime(wchar_t *restrict to, size_t max,
                               const wchar_t *restrict format,
                               const struct tm *restrict time)
{
    if (mprt_count_is_off())
        return MPRT_REAL(wcsftime)(to, max, format, time);
    const size_t n = MPRT_REAL(wcsftime)(to, max, format, time);

    count_wide_read(format, MPRT_REAL(wcslen)(format) + 1);
    mprt_count_read(time, sizeof(*time));
    if (n != 0)
        count_wide_write(to, n + 1);
    return n;
}

/* -- Numbers: as those of char strings ------------------------------------- */

static bool is_space(wchar_t c)
{
    return c == L' ' || (c >= L'\t' && c <= L'\r');
}

static void count_number(const wchar_t *s, const wchar_t *end, bool valid)
{
    if (!valid || mprt_count_is_off())
        return;
    if (end == s) {
        while (is_space(*end))
            end++;
        if (*end == L'+' || *end == L'-')
            end++;
    }
    count_wide_read(s, mprt_options.strict_string_checks
                           ? MPRT_REAL(wcslen)(s) + 1
                           : (size_t)(end - s) + 1);
}

/* If the base is invalid, the C library sets no end, and real_end is NULL. */
static void put_end(wchar_t **end, wchar_t *real_end)
{
    if (end != NULL && real_end != NULL) {
        mprt_count_write(end, sizeof(*end));
        *end = real_end;
    }
}

#define NUMBER_FUNCTION(type, name, real)                          \
    MPRT_INTERFACE type name(const wchar_t *restrict s,            \
                             wchar_t **restrict end, int base)     \
    {                                                              \
        const bool valid = base == 0 || (base >= 2 && base <= 36); \
        wchar_t *real_end = NULL;                                  \
        const type value = (real)(s, &real_end, base);             \
                                                                   \
        put_end(end, real_end);                                    \
        count_number(s, real_end, valid);                          \
        return value;                                              \
    }

/* Also defines the variant that glibc 2.38 and later use if C23 is
 * requested. */
#define NUMBER_FUNCTIONS(type, name)                   \
    NUMBER_FUNCTION(type, name, MPRT_REAL(name))       \
    NUMBER_FUNCTION(type, __isoc23_##name,             \
                    MPRT_REAL(__isoc23_##name) != NULL \
                        ? MPRT_REAL(__isoc23_##name)   \
                        : MPRT_REAL(name))

NUMBER_FUNCTIONS(long, wcstol)
NUMBER_FUNCTIONS(long long, wcstoll)
NUMBER_FUNCTIONS(unsigned long, wcstoul)
NUMBER_FUNCTIONS(unsigned long long, wcstoull)
NUMBER_FUNCTIONS(intmax_t, wcstoimax)
NUMBER_FUNCTIONS(uintmax_t, wcstoumax)

#define REAL_NUMBER_FUNCTION(type, name)                  \
    MPRT_INTERFACE type name(const wchar_t *restrict s,   \
                             wchar_t **restrict end)      \
    {                                                     \
        wchar_t *real_end = NULL;                         \
        const type value = MPRT_REAL(name)(s, &real_end); \
                                                          \
        put_end(end, real_end);                           \
        count_number(s, real_end, true);                  \
        return value;                                     \
    }

REAL_NUMBER_FUNCTION(double, wcstod)
REAL_NUMBER_FUNCTION(float, wcstof)
REAL_NUMBER_FUNCTION(long double, wcstold)

/* -- Arrays ---------------------------------------------------------------- */

MPRT_INTERFACE wchar_t *wmemcpy(wchar_t *restrict to,
                                const wchar_t *restrict from, size_t n)
{
    count_wide_read(from, n);
    count_wide_write(to, n);
    MPRT_COPIED(wmemcpy, n * sizeof(*to));
    mprt_real.memcpy(to, from, n * sizeof(*to));
    return to;
}

MPRT_INTERFACE wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n)
{
    count_wide_read(from, n);
    count_wide_write(to, n);
    MPRT_COPIED(wmemmove, n * sizeof(*to));
    mprt_real.memmove(to, from, n * sizeof(*to));
    return to;
}

MPRT_INTERFACE wchar_t *wmempcpy(wchar_t *restrict to,
                                 const wchar_t *restrict from, size_t n)
{
    count_wide_read(from, n);
    count_wide_write(to, n);
    MPRT_COPIED(wmempcpy, n * sizeof(*to));
    mprt_real.memcpy(to, from, n * sizeof(*to));
    return to + n;
}

MPRT_INTERFACE wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n)
{
    count_wide_write(to, n);
    return MPRT_REAL(wmemset)(to, c, n);
}

MPRT_INTERFACE int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
    count_wide_read(a, n);
    count_wide_read(b, n);
    return MPRT_REAL(wmemcmp)(a, b, n);
}

MPRT_INTERFACE wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
    wchar_t *const found = MPRT_REAL(wmemchr)(s, c, n);

    count_wide_read(s, found != NULL ? (size_t)(found - s) + 1 : n);
    return found;
}

/* -- Conversions: only the output is counted ------------------------------- */

#define FAILED ((size_t)-1)

/* Counts `written` characters of `size` bytes, and the terminator if
 * has_end. */
static void count_converted(const void *to, size_t written, bool has_end,
                            size_t size)
{
    if (to != NULL && written != FAILED)
        mprt_count_write(to, (written + has_end) * size);
}

MPRT_INTERFACE size_t mbstowcs(wchar_t *restrict to, const char *restrict from,
                               size_t max)
{
    const size_t n = MPRT_REAL(mbstowcs)(to, from, max);

    count_converted(to, n, n < max, sizeof(*to));
    return n;
}

MPRT_INTERFACE size_t mbsrtowcs(wchar_t *restrict to,
                                const char **restrict from, size_t max,
                                mbstate_t *restrict state)
{
    const size_t n = MPRT_REAL(mbsrtowcs)(to, from, max, state);

    mprt_count_read(from, sizeof(*from));
    if (state != NULL)
        mprt_count_read(state, sizeof(*state));
    count_converted(to, n, to != NULL && *from == NULL, sizeof(*to));
    return n;
}

MPRT_INTERFACE size_t mbsnrtowcs(wchar_t *restrict to,
                                 const char **restrict from, size_t bytes,
                                 size_t max, mbstate_t *restrict state)
{
    const char *const start = *from;
    const size_t n = MPRT_REAL(mbsnrtowcs)(to, from, bytes, max, state);

    mprt_count_read(from, sizeof(*from));
    mprt_count_read(start, bytes);
    if (state != NULL)
        mprt_count_read(state, sizeof(*state));
    count_converted(to, n, to != NULL && *from == NULL, sizeof(*to));
    return n;
}

MPRT_INTERFACE size_t wcstombs(char *restrict to, const wchar_t *restrict from,
                               size_t max)
{
    const size_t n = MPRT_REAL(wcstombs)(to, from, max);

    count_converted(to, n, n < max, sizeof(*to));
    return n;
}

MPRT_INTERFACE size_t wcsrtombs(char *restrict to,
                                const wchar_t **restrict from, size_t max,
                                mbstate_t *restrict state)
{
    const size_t n = MPRT_REAL(wcsrtombs)(to, from, max, state);

    mprt_count_read(from, sizeof(*from));
    if (state != NULL)
        mprt_count_read(state, sizeof(*state));
    count_converted(to, n, to != NULL && *from == NULL, sizeof(*to));
    return n;
}

MPRT_INTERFACE size_t wcsnrtombs(char *restrict to,
                                 const wchar_t **restrict from, size_t n_from,
                                 size_t max, mbstate_t *restrict state)
{
    const wchar_t *const start = *from;
    const size_t n = MPRT_REAL(wcsnrtombs)(to, from, n_from, max, state);

    mprt_count_read(from, sizeof(*from));
    count_wide_read(start, n_from);
    if (state != NULL)
        mprt_count_read(state, sizeof(*state));
    count_converted(to, n, to != NULL && *from == NULL, sizeof(*to));
    return n;
}

MPRT_INTERFACE int wctomb(char *to, wchar_t c)
{
    const int n = MPRT_REAL(wctomb)(to, c);

    if (to != NULL && n > 0)
        mprt_count_write(to, (size_t)n);
    return n;
}

MPRT_INTERFACE size_t wcrtomb(char *restrict to, wchar_t c,
                              mbstate_t *restrict state)
{
    const size_t n = MPRT_REAL(wcrtomb)(to, c, state);

    if (state != NULL)
        mprt_count_read(state, sizeof(*state));
    count_converted(to, n, false, sizeof(*to));
    return n;
}
