/* real.h -- the next definitions of the functions that we intercept: usually
 * the C library's.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>

/* Some intercepted functions are deprecated. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Not every C library declares these functions in its headers. */
void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value)
    __attribute__((noreturn));
int capset(void *header, const void *data);
char *__strdup(const char *s);
char *__strndup(const char *s, size_t max);
int __vprintf_chk(int flag, const char *format, va_list args);
int __vfprintf_chk(FILE *file, int flag, const char *format, va_list args);
int __vdprintf_chk(int fd, int flag, const char *format, va_list args);
int __vsprintf_chk(char *s, int flag, size_t room, const char *format,
                   va_list args);
int __vsnprintf_chk(char *s, size_t n, int flag, size_t room,
                    const char *format, va_list args);
int __vasprintf_chk(char **s, int flag, const char *format, va_list args);
int __vwprintf_chk(int flag, const wchar_t *format, va_list args);
int __vfwprintf_chk(FILE *file, int flag, const wchar_t *format, va_list args);
int __vswprintf_chk(wchar_t *s, size_t n, int flag, size_t room,
                    const wchar_t *format, va_list args);
extern __typeof__(vscanf) __isoc99_vscanf, __isoc23_vscanf;
extern __typeof__(vfscanf) __isoc99_vfscanf, __isoc23_vfscanf;
extern __typeof__(vsscanf) __isoc99_vsscanf, __isoc23_vsscanf;
extern __typeof__(vwscanf) __isoc99_vwscanf, __isoc23_vwscanf;
extern __typeof__(vfwscanf) __isoc99_vfwscanf, __isoc23_vfwscanf;
extern __typeof__(vswscanf) __isoc99_vswscanf, __isoc23_vswscanf;
extern __typeof__(strtol) __isoc23_strtol;
extern __typeof__(strtoll) __isoc23_strtoll;
extern __typeof__(strtoul) __isoc23_strtoul;
extern __typeof__(strtoull) __isoc23_strtoull;
extern __typeof__(strtoimax) __isoc23_strtoimax;
extern __typeof__(strtoumax) __isoc23_strtoumax;
extern __typeof__(wcstol) __isoc23_wcstol;
extern __typeof__(wcstoll) __isoc23_wcstoll;
extern __typeof__(wcstoul) __isoc23_wcstoul;
extern __typeof__(wcstoull) __isoc23_wcstoull;
extern __typeof__(wcstoimax) __isoc23_wcstoimax;
extern __typeof__(wcstoumax) __isoc23_wcstoumax;
#define MPROF_IO_CALL(name, type, parameters, arguments, accesses) \
    type name parameters;
#include "shared/io_calls.inc"

struct mprt_real {
#define MPRT_REAL_FUNCTION(name) __typeof__(&name) name;
#define MPRT_REAL_LATER MPRT_REAL_FUNCTION
#include "rt/real/real.inc"
};

/* The next definitions. NULL if not looked up yet, except for functions that a
 * program calls before libc is ready. */
extern MPRT_HIDDEN struct mprt_real mprt_real;

/* Looks up the next definitions. Called once, after the shadow, the options and
 * libc are ready. Before this call the interceptors work, but count nothing. */
void mprt_real_init(void);
/* True after mprt_real_init(): accesses are counted. */
extern MPRT_HIDDEN bool mprt_real_is_ready;

/* The form in which the runtime is linked: real_dlsym.c (into a dynamic
 * program), real_dso.c (a shared library) or real_wrap.c (into a program
 * without a dynamic linker). */
struct mprt_real_form {
    bool is_static; /* real_wrap.c */
    /* Whether this form fits the program. */
    bool (*matches_program)(void);
    /* Returns the next definition of the function with this name, or NULL. */
    void *(*find)(const char *name);
    /* Returns the definition that libraries call, or NULL. */
    void *(*find_first)(const char *name);
};
extern MPRT_HIDDEN const struct mprt_real_form mprt_real_form;

/* Calls the C library's dlsym(); the runtime intercepts that name
 * (interpose_dl.c). */
static inline void *mprt_real_look_up(void *handle, const char *name)
{
    static void *(*look_up)(void *, const char *);

    if (look_up == NULL) {
        /* Every glibc for x86-64 has dlsym() with this version. */
        void *found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
        if (found == NULL) /* the runtime's binary comes after the C library */
            found = dlvsym(RTLD_DEFAULT, "dlsym", "GLIBC_2.2.5");
        look_up = (void *(*)(void *, const char *))found;
    }
    return look_up(handle, name);
}

#define MPRT_REAL(name)                   \
    (MPROF_LIKELY(mprt_real.name != NULL) \
         ? mprt_real.name                 \
         : (__typeof__(mprt_real.name))mprt_real_form.find(#name))

/* Looks the function up if that was not done yet. */
#define MPRT_REAL_LOOK_UP(name)                     \
    do {                                            \
        if (MPROF_UNLIKELY(mprt_real.name == NULL)) \
            mprt_real.name = MPRT_REAL(name);       \
    } while (0)
