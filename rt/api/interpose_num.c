/* interpose_num.c -- functions that convert a string to a number. What each
 * counts was measured with LLVM 22's runtime. Functions that LLVM's runtime
 * does not intercept (strtoul, ...) count like similar ones that it does.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Counts a number as read, up to and including the character at `end`. If there
 * is no number, spaces and a sign were still read. Counts nothing for an
 * invalid base. */
static void count_number(const char *s, const char *end, bool valid)
{
    if (!mprt_count_is_on())
        return;
    if (valid && end == s) {
        while (is_space(*end))
            end++;
        if (*end == '+' || *end == '-')
            end++;
    }
    mprt_count_string(s, valid ? (size_t)(end - s) + 1 : 0);
}

/* If the base is invalid, the C library sets no end, and real_end is NULL. */
static void put_end(char **end, char *real_end)
{
    if (end != NULL && real_end != NULL) {
        mprt_count_write(end, sizeof(*end));
        *end = real_end;
    }
}

#define NUMBER_FUNCTION(type, name)                                       \
    MPRT_INTERFACE type name(const char *restrict s, char **restrict end, \
                             int base)                                    \
    {                                                                     \
        const bool valid = base == 0 || (base >= 2 && base <= 36);        \
        char *real_end = NULL;                                            \
        const type value = MPRT_REAL(name)(s, &real_end, base);           \
                                                                          \
        put_end(end, real_end);                                           \
        count_number(s, real_end, valid);                                 \
        return value;                                                     \
    }

NUMBER_FUNCTION(long, strtol)
NUMBER_FUNCTION(long long, strtoll)
NUMBER_FUNCTION(unsigned long, strtoul)
NUMBER_FUNCTION(unsigned long long, strtoull)
NUMBER_FUNCTION(intmax_t, strtoimax)
NUMBER_FUNCTION(uintmax_t, strtoumax)

/* The variants that glibc 2.38 and later use if C23 is requested. An older
 * glibc has no program that calls them. */
#define NUMBER_OF_C23(type, name)                                        \
    MPRT_INTERFACE type __isoc23_##name(const char *restrict s,          \
                                        char **restrict end, int base)   \
    {                                                                    \
        const bool valid = base == 0 || (base >= 2 && base <= 36);       \
        __typeof__(&name) real = MPRT_REAL(__isoc23_##name);             \
        char *real_end = NULL;                                           \
        const type value =                                               \
            (real != NULL ? real : MPRT_REAL(name))(s, &real_end, base); \
                                                                         \
        put_end(end, real_end);                                          \
        count_number(s, real_end, valid);                                \
        return value;                                                    \
    }

NUMBER_OF_C23(long, strtol)
NUMBER_OF_C23(long long, strtoll)
NUMBER_OF_C23(unsigned long, strtoul)
NUMBER_OF_C23(unsigned long long, strtoull)
NUMBER_OF_C23(intmax_t, strtoimax)
NUMBER_OF_C23(uintmax_t, strtoumax)

#define REAL_NUMBER_FUNCTION(type, name)                                  \
    MPRT_INTERFACE type name(const char *restrict s, char **restrict end) \
    {                                                                     \
        char *real_end = NULL;                                            \
        const type value = MPRT_REAL(name)(s, &real_end);                 \
                                                                          \
        put_end(end, real_end);                                           \
        count_number(s, real_end, true);                                  \
        return value;                                                     \
    }

REAL_NUMBER_FUNCTION(double, strtod)
REAL_NUMBER_FUNCTION(float, strtof)
REAL_NUMBER_FUNCTION(long double, strtold)

MPRT_INTERFACE double atof(const char *s)
{
    char *end;
    const double value = MPRT_REAL(strtod)(s, &end);

    count_number(s, end, true);
    return value;
}

MPRT_INTERFACE int atoi(const char *s)
{
    char *end;
    const long value = MPRT_REAL(strtol)(s, &end, 10);

    count_number(s, end, true);
    return (int)value;
}

MPRT_INTERFACE long atol(const char *s)
{
    char *end;
    const long value = MPRT_REAL(strtol)(s, &end, 10);

    count_number(s, end, true);
    return value;
}

MPRT_INTERFACE long long atoll(const char *s)
{
    char *end;
    const long long value = MPRT_REAL(strtoll)(s, &end, 10);

    count_number(s, end, true);
    return value;
}
