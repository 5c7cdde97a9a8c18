/* interpose_format.c -- printf, scanf and their variants. Counts what the C
 * library reads and writes through the arguments, and the string that is
 * printed to or read from.
 *
 * Counts like LLVM's runtime with two differences: a failed call counts
 * nothing, because it is unknown how much it accessed, and the string that
 * sscanf reads is counted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"
#include "rt/api/functions.h"

/* Counts the printed string with its terminator, as far as there was room. */
static void count_output(const char *s, size_t room, int done)
{
    if (done >= 0)
        mprt_count_write(s, mprof_min_u64(room, (uint64_t)done + 1));
}

static void count_wide_output(const wchar_t *s, int done)
{
    if (done >= 0)
        mprt_count_write(s, ((size_t)done + 1) * sizeof(*s));
}

static void count_allocated(char **s, int done)
{
    if (done < 0)
        return;
    mprt_count_write(s, sizeof(*s));
    count_output(*s, SIZE_MAX, done);
}

/* Called before the function runs, because scanf may overwrite its input. */
static void count_input(const char *s)
{
    if (mprt_count_is_on())
        mprt_count_read(s, mprt_real.strlen(s) + 1);
}

static void count_wide_input(const wchar_t *s)
{
    if (mprt_count_is_on())
        mprt_count_read(s, (MPRT_REAL(wcslen)(s) + 1) * sizeof(*s));
}

#define NOTHING ((void)0)
#define LIST(...) __VA_ARGS__
#define IS_WIDE(format) (sizeof(*(format)) == sizeof(wchar_t))

/* Defines a function in its two forms: with a va_list, and with variable
 * arguments. `parameters` and `arguments` end with the format. The symbols are
 * set by __asm__, because <stdio.h> may redirect scanf to a newer name. */
#define FORMATTED(vname, name, parameters, arguments, before, after) \
    int interpose_##vname(parameters, va_list args) __asm__(#vname); \
    int interpose_##name(parameters, ...) __asm__(#name);            \
                                                                     \
    static int do_##vname(parameters, va_list args)                  \
    {                                                                \
        va_list copy;                                                \
        int done;                                                    \
                                                                     \
        va_copy(copy, args);                                         \
        MPRT_REAL_LOOK_UP(vname);                                    \
        before;                                                      \
        done = mprt_real.vname(arguments, args);                     \
        after;                                                       \
        va_end(copy);                                                \
        return done;                                                 \
    }                                                                \
                                                                     \
    MPRT_INTERFACE int interpose_##vname(parameters, va_list args)   \
    {                                                                \
        return do_##vname(arguments, args);                          \
    }                                                                \
                                                                     \
    MPRT_INTERFACE int interpose_##name(parameters, ...)             \
    {                                                                \
        va_list args;                                                \
        int done;                                                    \
                                                                     \
        va_start(args, format);                                      \
        done = do_##vname(arguments, args);                          \
        va_end(args);                                                \
        return done;                                                 \
    }

/* -- printf ---------------------------------------------------------------- */

#define PRINTF(vname, name, parameters, arguments, output)                \
    FORMATTED(                                                            \
        vname, name, LIST(parameters), LIST(arguments), NOTHING, do {     \
            if (done >= 0)                                                \
                mprt_format_count_printed(format, IS_WIDE(format), copy); \
            output;                                                       \
        } while (0))

PRINTF(vprintf, printf, LIST(const char *format), LIST(format), NOTHING)
PRINTF(vfprintf, fprintf, LIST(FILE *file, const char *format),
       LIST(file, format), NOTHING)
PRINTF(vdprintf, dprintf, LIST(int fd, const char *format), LIST(fd, format),
       NOTHING)
PRINTF(vsprintf, sprintf, LIST(char *s, const char *format), LIST(s, format),
       count_output(s, SIZE_MAX, done))
PRINTF(vsnprintf, snprintf, LIST(char *s, size_t n, const char *format),
       LIST(s, n, format), count_output(s, n, done))
PRINTF(vasprintf, asprintf, LIST(char **s, const char *format), LIST(s, format),
       count_allocated(s, done))

/* With _FORTIFY_SOURCE. */
PRINTF(__vprintf_chk, __printf_chk, LIST(int flag, const char *format),
       LIST(flag, format), NOTHING)
PRINTF(__vfprintf_chk, __fprintf_chk,
       LIST(FILE *file, int flag, const char *format), LIST(file, flag, format),
       NOTHING)
PRINTF(__vdprintf_chk, __dprintf_chk,
       LIST(int fd, int flag, const char *format), LIST(fd, flag, format),
       NOTHING)
PRINTF(__vsprintf_chk, __sprintf_chk,
       LIST(char *s, int flag, size_t room, const char *format),
       LIST(s, flag, room, format), count_output(s, SIZE_MAX, done))
PRINTF(__vsnprintf_chk, __snprintf_chk,
       LIST(char *s, size_t n, int flag, size_t room, const char *format),
       LIST(s, n, flag, room, format), count_output(s, n, done))
PRINTF(__vasprintf_chk, __asprintf_chk,
       LIST(char **s, int flag, const char *format), LIST(s, flag, format),
       count_allocated(s, done))

/* Wide functions; they fail if the room is too small. */
PRINTF(vwprintf, wprintf, LIST(const wchar_t *format), LIST(format), NOTHING)
PRINTF(vfwprintf, fwprintf, LIST(FILE *file, const wchar_t *format),
       LIST(file, format), NOTHING)
PRINTF(vswprintf, swprintf, LIST(wchar_t *s, size_t n, const wchar_t *format),
       LIST(s, n, format), count_wide_output(s, done))
PRINTF(__vwprintf_chk, __wprintf_chk, LIST(int flag, const wchar_t *format),
       LIST(flag, format), NOTHING)
PRINTF(__vfwprintf_chk, __fwprintf_chk,
       LIST(FILE *file, int flag, const wchar_t *format),
       LIST(file, flag, format), NOTHING)
PRINTF(__vswprintf_chk, __swprintf_chk,
       LIST(wchar_t *s, size_t n, int flag, size_t room, const wchar_t *format),
       LIST(s, n, flag, room, format), count_wide_output(s, done))

/* -- scanf ----------------------------------------------------------------- */

#define SCANF(vname, name, parameters, arguments, input)             \
    FORMATTED(vname, name, LIST(parameters), LIST(arguments), input, \
              mprt_format_count_scanned(format, IS_WIDE(format), done, copy))

#define SCANF_FAMILY(prefix)                                                 \
    SCANF(prefix##vscanf, prefix##scanf, LIST(const char *format),           \
          LIST(format), NOTHING)                                             \
    SCANF(prefix##vfscanf, prefix##fscanf,                                   \
          LIST(FILE *file, const char *format), LIST(file, format), NOTHING) \
    SCANF(prefix##vsscanf, prefix##sscanf,                                   \
          LIST(const char *s, const char *format), LIST(s, format),          \
          count_input(s))                                                    \
    SCANF(prefix##vwscanf, prefix##wscanf, LIST(const wchar_t *format),      \
          LIST(format), NOTHING)                                             \
    SCANF(prefix##vfwscanf, prefix##fwscanf,                                 \
          LIST(FILE *file, const wchar_t *format), LIST(file, format),       \
          NOTHING)                                                           \
    SCANF(prefix##vswscanf, prefix##swscanf,                                 \
          LIST(const wchar_t *s, const wchar_t *format), LIST(s, format),    \
          count_wide_input(s))

SCANF_FAMILY()
SCANF_FAMILY(__isoc99_)
SCANF_FAMILY(__isoc23_)
