/* real_wrap.c -- finds next definitions in a program without a dynamic linker.
 * The linker is told to --wrap each intercepted name: calls of NAME go to
 * __wrap_NAME, which is ours, and __real_NAME is the C library's function. The
 * list of names is generated from shared/interface.inc and what it names.
 *
 * If the program itself defines a function or variable NAME, both symbols are
 * that definition (libc_code.ld). The runtime does not call it: it may count
 * accesses itself, and may do anything.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/real/real.h"
#include "rt/base/libc.h"

#define MPRT_WRAPPED(name)       \
    extern char __real_##name[]; \
    extern char __wrap_##name[];
#include "wrapped.inc"
#undef MPRT_WRAPPED

static const struct {
    const char *name;
    void *function;
    void *wrapper;
} wrapped[] = {
#define MPRT_WRAPPED(name) {#name, __real_##name, __wrap_##name},
#include "wrapped.inc"
#undef MPRT_WRAPPED
};

/* -- Used in place of the program's own definitions ------------------------ */

static size_t own_strnlen(const char *s, size_t max)
{
    size_t n = 0;

    while (n < max && s[n] != 0)
        n++;
    return n;
}

static size_t own_wcsnlen(const wchar_t *s, size_t max)
{
    size_t n = 0;

    while (n < max && s[n] != 0)
        n++;
    return n;
}

static size_t own_wcslen(const wchar_t *s)
{
    return own_wcsnlen(s, SIZE_MAX);
}

/* The interceptors of printf() and its variants call these. Programs do not
 * define functions with the names of the checked forms. */
#define FORMATTED(vname, parameters, ...)                              \
    static int own_##vname(parameters, va_list args)                   \
    {                                                                  \
        return ((__typeof__(&__##vname##_chk))__real___##vname##_chk)( \
            __VA_ARGS__, args);                                        \
    }
#define LIST(...) __VA_ARGS__
FORMATTED(vprintf, LIST(const char *format), 0, format)
FORMATTED(vfprintf, LIST(FILE *file, const char *format), file, 0, format)
FORMATTED(vdprintf, LIST(int fd, const char *format), fd, 0, format)
FORMATTED(vsprintf, LIST(char *s, const char *format), s, 0, SIZE_MAX, format)
FORMATTED(vsnprintf, LIST(char *s, size_t n, const char *format), s, n, 0,
          SIZE_MAX, format)
FORMATTED(vasprintf, LIST(char **s, const char *format), s, 0, format)
FORMATTED(vwprintf, LIST(const wchar_t *format), 0, format)
FORMATTED(vfwprintf, LIST(FILE *file, const wchar_t *format), file, 0, format)
FORMATTED(vswprintf, LIST(wchar_t *s, size_t n, const wchar_t *format), s, n, 0,
          SIZE_MAX, format)

/* Functions that the interceptors of other functions call. */
static const struct {
    const char *name;
    void *function;
} own[] = {
#define OWN(name)                 \
    {                             \
#name, (void *)own_##name \
    }
    {"memcpy", (void *)mprt_libc_memcpy},
    {"memmove", (void *)mprt_libc_memmove},
    {"memset", (void *)mprt_libc_memset},
    {"memcmp", (void *)mprt_libc_memcmp},
    {"strlen", (void *)mprt_libc_strlen},
    {"strcmp", (void *)mprt_libc_strcmp},
    OWN(strnlen),
    OWN(wcslen),
    OWN(wcsnlen),
    OWN(vprintf),
    OWN(vfprintf),
    OWN(vdprintf),
    OWN(vsprintf),
    OWN(vsnprintf),
    OWN(vasprintf),
    OWN(vwprintf),
    OWN(vfwprintf),
    OWN(vswprintf),
};

static void *find_own(const char *name, void *programs)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(own); i++) {
        if (mprt_libc_strcmp(own[i].name, name) == 0)
            return own[i].function;
    }
    return programs;
}

/* -- The form -------------------------------------------------------------- */

static bool always(void)
{
    return true;
}

static void *find(const char *name)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(wrapped); i++) {
        if (mprt_libc_strcmp(wrapped[i].name, name) != 0)
            continue;
        return wrapped[i].wrapper != wrapped[i].function
                   ? wrapped[i].function
                   : find_own(name, wrapped[i].function);
    }
    return NULL;
}

static void *find_first(const char *name)
{
    (void)name;
    return NULL;
}

const struct mprt_real_form mprt_real_form = {
    .is_static = true,
    .matches_program = always,
    .find = find,
    .find_first = find_first,
};
