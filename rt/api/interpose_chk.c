/* interpose_chk.c -- the checked forms of memory and string functions, which
 * code compiled with _FORTIFY_SOURCE calls if the destination's size is known.
 * They count like the plain functions (LLVM's runtime does not intercept them).
 * The C library makes the check and handles its failure.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"

/* No header declares these functions: result, name, parameters. */
#define DECLARE(type, name, ...)                                   \
    type name(__VA_ARGS__);                                        \
    static __typeof__(&name) find_##name(void)                     \
    {                                                              \
        static __typeof__(&name) found;                            \
                                                                   \
        if (found == NULL)                                         \
            found = (__typeof__(&name))mprt_real_form.find(#name); \
        return found;                                              \
    }

DECLARE(void *, __memcpy_chk, void *, const void *, size_t, size_t)
DECLARE(void *, __memmove_chk, void *, const void *, size_t, size_t)
DECLARE(void *, __mempcpy_chk, void *, const void *, size_t, size_t)
DECLARE(void *, __memset_chk, void *, int, size_t, size_t)
DECLARE(char *, __strcpy_chk, char *, const char *, size_t)
DECLARE(char *, __stpcpy_chk, char *, const char *, size_t)
DECLARE(char *, __strcat_chk, char *, const char *, size_t)
DECLARE(char *, __strncpy_chk, char *, const char *, size_t, size_t)
DECLARE(char *, __stpncpy_chk, char *, const char *, size_t, size_t)
DECLARE(void, __explicit_bzero_chk, void *, size_t, size_t)
DECLARE(char *, __strncat_chk, char *, const char *, size_t, size_t)

/* Called after the copy: if the check fails, the C library does not return. */
static void count_copy(const void *to, const void *from, size_t n)
{
    if (mprt_options.intercept_intrin) {
        mprt_count_read(from, n);
        mprt_count_write(to, n);
    }
}

MPRT_INTERFACE void *__memcpy_chk(void *to, const void *from, size_t n,
                                  size_t room)
{
    void *const result = find___memcpy_chk()(to, from, n, room);

    count_copy(to, from, n);
    MPRT_COPIED(memcpy, n);
    return result;
}

MPRT_INTERFACE void *__memmove_chk(void *to, const void *from, size_t n,
                                   size_t room)
{
    void *const result = find___memmove_chk()(to, from, n, room);

    count_copy(to, from, n);
    MPRT_COPIED(memmove, n);
    return result;
}

MPRT_INTERFACE void *__mempcpy_chk(void *to, const void *from, size_t n,
                                   size_t room)
{
    void *const result = find___mempcpy_chk()(to, from, n, room);

    count_copy(to, from, n);
    MPRT_COPIED(mempcpy, n);
    return result;
}

MPRT_INTERFACE void *__memset_chk(void *to, int byte, size_t n, size_t room)
{
    void *const result = find___memset_chk()(to, byte, n, room);

    if (mprt_options.intercept_intrin)
        mprt_count_write(to, n);
    return result;
}

MPRT_INTERFACE char *__strcpy_chk(char *to, const char *from, size_t room)
{
    if (mprt_count_is_off_for_copies())
        return find___strcpy_chk()(to, from, room);
    const size_t bytes = mprt_real.strlen(from) + 1;
    char *const result = find___strcpy_chk()(to, from, room);

    mprt_count_read(from, bytes);
    mprt_count_write(to, bytes);
    MPRT_COPIED(strcpy, bytes);
    return result;
}

MPRT_INTERFACE char *__stpcpy_chk(char *to, const char *from, size_t room)
{
    char *const end = find___stpcpy_chk()(to, from, room);

    mprt_count_read(from, (size_t)(end - to) + 1);
    mprt_count_write(to, (size_t)(end - to) + 1);
    MPRT_COPIED(stpcpy, (size_t)(end - to) + 1);
    return end;
}

MPRT_INTERFACE char *__strncpy_chk(char *to, const char *from, size_t n,
                                   size_t room)
{
    if (mprt_count_is_off_for_copies())
        return find___strncpy_chk()(to, from, n, room);
    const size_t from_bytes = MPRT_REAL(strnlen)(from, n);
    char *const result = find___strncpy_chk()(to, from, n, room);

    mprt_count_read(from, from_bytes < n ? from_bytes + 1 : n);
    mprt_count_write(to, n);
    MPRT_COPIED(strncpy, from_bytes < n ? from_bytes + 1 : n);
    return result;
}

MPRT_INTERFACE char *__stpncpy_chk(char *to, const char *from, size_t n,
                                   size_t room)
{
    if (mprt_count_is_off_for_copies())
        return find___stpncpy_chk()(to, from, n, room);
    const size_t from_bytes = MPRT_REAL(strnlen)(from, n);
    char *const end = find___stpncpy_chk()(to, from, n, room);

    mprt_count_read(from, from_bytes < n ? from_bytes + 1 : n);
    mprt_count_write(to, n);
    MPRT_COPIED(stpncpy, from_bytes < n ? from_bytes + 1 : n);
    return end;
}

MPRT_INTERFACE void __explicit_bzero_chk(void *to, size_t n, size_t room)
{
    find___explicit_bzero_chk()(to, n, room);
    mprt_count_write(to, n);
}

static void count_append(const char *to, size_t to_bytes, const char *from,
                         size_t read_bytes, size_t copied)
{
    mprt_count_read(from, read_bytes);
    mprt_count_read(to, to_bytes);
    mprt_count_write(to + to_bytes, copied + 1);
}

MPRT_INTERFACE char *__strcat_chk(char *to, const char *from, size_t room)
{
    if (mprt_count_is_off_for_copies())
        return find___strcat_chk()(to, from, room);
    const size_t to_bytes = mprt_real.strlen(to);
    const size_t n = mprt_real.strlen(from);
    char *const result = find___strcat_chk()(to, from, room);

    count_append(to, to_bytes, from, n + 1, n);
    MPRT_COPIED(strcat, n + 1);
    return result;
}

MPRT_INTERFACE char *__strncat_chk(char *to, const char *from, size_t max,
                                   size_t room)
{
    if (mprt_count_is_off_for_copies())
        return find___strncat_chk()(to, from, max, room);
    const size_t to_bytes = mprt_real.strlen(to);
    const size_t n = MPRT_REAL(strnlen)(from, max);
    char *const result = find___strncat_chk()(to, from, max, room);

    count_append(to, to_bytes, from, n < max ? n + 1 : max, n);
    MPRT_COPIED(strncat, n + 1);
    return result;
}
