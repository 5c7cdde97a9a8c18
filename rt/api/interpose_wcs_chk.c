/* interpose_wcs_chk.c -- the checked forms of functions of wide and multibyte
 * strings, which code compiled with _FORTIFY_SOURCE calls. They count like the
 * plain functions, after the call: if the check fails, the C library does not
 * return.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"
#include "rt/stack/unwind.h"

static void count_copy(const wchar_t *to, size_t written, const wchar_t *from,
                       size_t read)
{
    mprt_count_read(from, read * sizeof(*from));
    mprt_count_write(to, written * sizeof(*to));
}

static size_t length_with_end(const wchar_t *s, size_t max)
{
    const size_t n = MPRT_REAL(wcsnlen)(s, max);

    return n < max ? n + 1 : max;
}

/* -- Strings --------------------------------------------------------------- */

#define COPY(name)                                                           \
    MPRT_INTERFACE wchar_t *__##name##_chk(wchar_t *to, const wchar_t *from, \
                                           size_t room)                      \
    {                                                                        \
        if (mprt_count_is_off_for_copies())                                  \
            return MPRT_REAL(__##name##_chk)(to, from, room);                \
        const size_t n = MPRT_REAL(wcslen)(from) + 1;                        \
        wchar_t *const result = MPRT_REAL(__##name##_chk)(to, from, room);   \
                                                                             \
        count_copy(to, n, from, n);                                          \
        MPRT_COPIED(name, n * sizeof(*to));                                  \
        return result;                                                       \
    }
COPY(wcscpy)
COPY(wcpcpy)

#define COPY_BOUNDED(name)                                                    \
    MPRT_INTERFACE wchar_t *__##name##_chk(wchar_t *to, const wchar_t *from,  \
                                           size_t n, size_t room)             \
    {                                                                         \
        if (mprt_count_is_off_for_copies())                                   \
            return MPRT_REAL(__##name##_chk)(to, from, n, room);              \
        const size_t read = length_with_end(from, n);                         \
        wchar_t *const result = MPRT_REAL(__##name##_chk)(to, from, n, room); \
                                                                              \
        count_copy(to, n, from, read);                                        \
        MPRT_COPIED(name, read * sizeof(*to));                                \
        return result;                                                        \
    }
COPY_BOUNDED(wcsncpy)
COPY_BOUNDED(wcpncpy)

static void count_append(const wchar_t *to, size_t to_n, const wchar_t *from,
                         size_t read, size_t copied)
{
    mprt_count_read(to, (to_n + 1) * sizeof(*to));
    count_copy(to + to_n, copied + 1, from, read);
}

MPRT_INTERFACE wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from,
                                     size_t room)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(__wcscat_chk)(to, from, room);
    const size_t to_n = MPRT_REAL(wcslen)(to);
    const size_t n = MPRT_REAL(wcslen)(from);
    wchar_t *const result = MPRT_REAL(__wcscat_chk)(to, from, room);

    count_append(to, to_n, from, n + 1, n);
    MPRT_COPIED(wcscat, (n + 1) * sizeof(*to));
    return result;
}

MPRT_INTERFACE wchar_t *__wcsncat_chk(wchar_t *to, const wchar_t *from,
                                      size_t max, size_t room)
{
    if (mprt_count_is_off_for_copies())
        return MPRT_REAL(__wcsncat_chk)(to, from, max, room);
    const size_t to_n = MPRT_REAL(wcslen)(to);
    const size_t n = MPRT_REAL(wcsnlen)(from, max);
    wchar_t *const result = MPRT_REAL(__wcsncat_chk)(to, from, max, room);

    count_append(to, to_n, from, n < max ? n + 1 : max, n);
    MPRT_COPIED(wcsncat, (n + 1) * sizeof(*to));
    return result;
}

/* -- Arrays ---------------------------------------------------------------- */

#define COPY_ARRAY(name)                                                      \
    MPRT_INTERFACE wchar_t *__##name##_chk(wchar_t *to, const wchar_t *from,  \
                                           size_t n, size_t room)             \
    {                                                                         \
        wchar_t *const result = MPRT_REAL(__##name##_chk)(to, from, n, room); \
                                                                              \
        count_copy(to, n, from, n);                                           \
        MPRT_COPIED(name, n * sizeof(*to));                                   \
        return result;                                                        \
    }
COPY_ARRAY(wmemcpy)
COPY_ARRAY(wmemmove)
COPY_ARRAY(wmempcpy)

MPRT_INTERFACE wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n,
                                      size_t room)
{
    wchar_t *const result = MPRT_REAL(__wmemset_chk)(to, c, n, room);

    mprt_count_write(to, n * sizeof(*to));
    return result;
}

/* -- Conversions: only the output is counted ------------------------------- */

#define FAILED ((size_t)-1)

static void count_converted(const void *to, size_t written, bool has_end,
                            size_t size)
{
    if (to != NULL && written != FAILED)
        mprt_count_write(to, (written + has_end) * size);
}

static void count_state(const mbstate_t *state)
{
    if (state != NULL)
        mprt_count_read(state, sizeof(*state));
}

#define CONVERT(name, to_type, from_type)                                    \
    MPRT_INTERFACE size_t __##name##_chk(to_type *to, const from_type *from, \
                                         size_t max, size_t room)            \
    {                                                                        \
        const size_t n = MPRT_REAL(__##name##_chk)(to, from, max, room);     \
                                                                             \
        count_converted(to, n, n < max, sizeof(*to));                        \
        return n;                                                            \
    }
CONVERT(mbstowcs, wchar_t, char)
CONVERT(wcstombs, char, wchar_t)

#define CONVERT_ON(name, to_type, from_type)                                  \
    MPRT_INTERFACE size_t __##name##_chk(to_type *to, const from_type **from, \
                                         size_t max, mbstate_t *state,        \
                                         size_t room)                         \
    {                                                                         \
        const size_t n =                                                      \
            MPRT_REAL(__##name##_chk)(to, from, max, state, room);            \
                                                                              \
        mprt_count_read(from, sizeof(*from));                                 \
        count_state(state);                                                   \
        count_converted(to, n, to != NULL && *from == NULL, sizeof(*to));     \
        return n;                                                             \
    }
CONVERT_ON(mbsrtowcs, wchar_t, char)
CONVERT_ON(wcsrtombs, char, wchar_t)

#define CONVERT_SOME(name, to_type, from_type)                                \
    MPRT_INTERFACE size_t __##name##_chk(to_type *to, const from_type **from, \
                                         size_t from_n, size_t max,           \
                                         mbstate_t *state, size_t room)       \
    {                                                                         \
        const from_type *const start = *from;                                 \
        const size_t n =                                                      \
            MPRT_REAL(__##name##_chk)(to, from, from_n, max, state, room);    \
                                                                              \
        mprt_count_read(from, sizeof(*from));                                 \
        mprt_count_read(start, from_n * sizeof(*start));                      \
        count_state(state);                                                   \
        count_converted(to, n, to != NULL && *from == NULL, sizeof(*to));     \
        return n;                                                             \
    }
CONVERT_SOME(mbsnrtowcs, wchar_t, char)
CONVERT_SOME(wcsnrtombs, char, wchar_t)

MPRT_INTERFACE int __wctomb_chk(char *to, wchar_t c, size_t room)
{
    const int n = MPRT_REAL(__wctomb_chk)(to, c, room);

    if (to != NULL && n > 0)
        mprt_count_write(to, (size_t)n);
    return n;
}

MPRT_INTERFACE size_t __wcrtomb_chk(char *to, wchar_t c, mbstate_t *state,
                                    size_t room)
{
    const size_t n = MPRT_REAL(__wcrtomb_chk)(to, c, state, room);

    count_state(state);
    count_converted(to, n, false, sizeof(*to));
    return n;
}
