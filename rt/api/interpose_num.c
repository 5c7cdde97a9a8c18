/* interpose_num.c -- functions that convert a string or a wide string to a
 * number. What each counts was measured with LLVM 22's runtime. Functions that
 * LLVM's runtime does not intercept (strtoul, ...) count like similar ones that
 * it does.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"

static bool is_space(wchar_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Counts a number as read, up to and including the character at `end`. If there
 * is no number, spaces and a sign were still read. If the base was invalid, end
 * is NULL. */
#define COUNT_NUMBER(type, name, length)             \
    static void name(const type *s, const type *end) \
    {                                                \
        size_t n = 0;                                \
                                                     \
        if (!mprt_count_is_on())                     \
            return;                                  \
        if (end != NULL && end == s) {               \
            while (is_space(*end))                   \
                end++;                               \
            if (*end == '+' || *end == '-')          \
                end++;                               \
        }                                            \
        if (mprt_options.strict_string_checks)       \
            n = MPRT_REAL(length)(s) + 1;            \
        else if (end != NULL)                        \
            n = (size_t)(end - s) + 1;               \
        mprt_count_read(s, n * sizeof(*s));          \
    }
COUNT_NUMBER(char, count_number, strlen)
COUNT_NUMBER(wchar_t, count_wide_number, wcslen)

/* If the base is invalid, the C library sets no end, and real_end is NULL. */
static void put_end(const void *end, const void *real_end)
{
    if (end != NULL && real_end != NULL) {
        mprt_count_write(end, sizeof(void *));
        *(const void **)(uintptr_t)end = real_end;
    }
}

#define NUMBER(type, name, real, character, count, parameters, arguments) \
    MPRT_INTERFACE type name parameters                                   \
    {                                                                     \
        character *real_end = NULL;                                       \
        MPRT_REAL_LOOK_UP(name);                                          \
        const type value = (real)arguments;                               \
                                                                          \
        put_end(end, real_end);                                           \
        count(s, real_end);                                               \
        return value;                                                     \
    }
#define PARAMETERS(character) \
    const character *restrict s, character **restrict end

#define INTEGER(type, name, real, character, count) \
    NUMBER(type, name, real, character, count,      \
           (PARAMETERS(character), int base), (s, &real_end, base))
/* Also defines the variant that glibc 2.38 and later use if C23 is
 * requested. */
#define INTEGERS(type, name, character, count)                            \
    INTEGER(type, name, mprt_real.name, character, count)                 \
    INTEGER(type, __isoc23_##name,                                        \
            mprt_real.__isoc23_##name != NULL ? mprt_real.__isoc23_##name \
                                              : MPRT_REAL(name),          \
            character, count)
#define REAL(type, name, character, count)               \
    NUMBER(type, name, mprt_real.name, character, count, \
           (PARAMETERS(character)), (s, &real_end))

/* `prefix` is of the functions of one type of characters. */
#define NUMBERS(prefix, character, count)                       \
    INTEGERS(long, prefix##l, character, count)                 \
    INTEGERS(long long, prefix##ll, character, count)           \
    INTEGERS(unsigned long, prefix##ul, character, count)       \
    INTEGERS(unsigned long long, prefix##ull, character, count) \
    INTEGERS(intmax_t, prefix##imax, character, count)          \
    INTEGERS(uintmax_t, prefix##umax, character, count)         \
    REAL(double, prefix##d, character, count)                   \
    REAL(float, prefix##f, character, count)                    \
    REAL(long double, prefix##ld, character, count)
NUMBERS(strto, char, count_number)
NUMBERS(wcsto, wchar_t, count_wide_number)

#define DECIMAL(type, name, function, ...)                                 \
    MPRT_INTERFACE type name(const char *s)                                \
    {                                                                      \
        char *end;                                                         \
        const type value = (type)MPRT_REAL(function)(s, &end __VA_ARGS__); \
                                                                           \
        count_number(s, end);                                              \
        return value;                                                      \
    }
#define IN_TEN , 10
DECIMAL(double, atof, strtod, )
DECIMAL(int, atoi, strtol, IN_TEN)
DECIMAL(long, atol, strtol, IN_TEN)
DECIMAL(long long, atoll, strtoll, IN_TEN)
