/* real.h -- the next definitions of the functions that we intercept: usually
 * the C library's.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_REAL_H
#define MPRT_REAL_H

#include "rt/base/rt.h"

#include <dlfcn.h>
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
char *__strdup(const char *s);
char *__strndup(const char *s, size_t max);
ssize_t __read_chk(int fd, void *data, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t n, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *data, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict data, size_t n, size_t room,
                       int flags, struct sockaddr *restrict from,
                       socklen_t *restrict from_bytes);
size_t __fread_chk(void *restrict data, size_t room, size_t size, size_t n,
                   FILE *restrict file);
size_t __fread_unlocked_chk(void *restrict data, size_t room, size_t size,
                            size_t n, FILE *restrict file);
char *__fgets_chk(char *restrict s, size_t room, int n, FILE *restrict file);
char *__fgets_unlocked_chk(char *restrict s, size_t room, int n,
                           FILE *restrict file);
wchar_t *__fgetws_chk(wchar_t *restrict s, size_t room, int n,
                      FILE *restrict file);
wchar_t *__fgetws_unlocked_chk(wchar_t *restrict s, size_t room, int n,
                               FILE *restrict file);
char *__getcwd_chk(char *data, size_t n, size_t room);
ssize_t __readlink_chk(const char *restrict path, char *restrict data, size_t n,
                       size_t room);
ssize_t __readlinkat_chk(int folder, const char *restrict path,
                         char *restrict data, size_t n, size_t room);
char *__realpath_chk(const char *restrict path, char *restrict whole,
                     size_t room);
int __getlogin_r_chk(char *name, size_t n, size_t room);
int __ttyname_r_chk(int fd, char *name, size_t n, size_t room);
int __gethostname_chk(char *name, size_t n, size_t room);
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
long __isoc23_wcstol(const wchar_t *restrict s, wchar_t **restrict end,
                     int base);
long long __isoc23_wcstoll(const wchar_t *restrict s, wchar_t **restrict end,
                           int base);
unsigned long __isoc23_wcstoul(const wchar_t *restrict s,
                               wchar_t **restrict end, int base);
unsigned long long __isoc23_wcstoull(const wchar_t *restrict s,
                                     wchar_t **restrict end, int base);
intmax_t __isoc23_wcstoimax(const wchar_t *restrict s, wchar_t **restrict end,
                            int base);
uintmax_t __isoc23_wcstoumax(const wchar_t *restrict s, wchar_t **restrict end,
                             int base);
int __isoc99_vscanf(const char *format, va_list args);
int __isoc99_vfscanf(FILE *file, const char *format, va_list args);
int __isoc99_vsscanf(const char *s, const char *format, va_list args);
int __isoc99_vwscanf(const wchar_t *format, va_list args);
int __isoc99_vfwscanf(FILE *file, const wchar_t *format, va_list args);
int __isoc99_vswscanf(const wchar_t *s, const wchar_t *format, va_list args);
int __isoc23_vscanf(const char *format, va_list args);
int __isoc23_vfscanf(FILE *file, const char *format, va_list args);
int __isoc23_vsscanf(const char *s, const char *format, va_list args);
int __isoc23_vwscanf(const wchar_t *format, va_list args);
int __isoc23_vfwscanf(FILE *file, const wchar_t *format, va_list args);
int __isoc23_vswscanf(const wchar_t *s, const wchar_t *format, va_list args);

wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcpcpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcsncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wcpncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcsncat_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n,
                        size_t room);
wchar_t *__wmempcpy_chk(wchar_t *to, const wchar_t *from, size_t n,
                        size_t room);
wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room);
size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t max, size_t room);
size_t __wcstombs_chk(char *to, const wchar_t *from, size_t max, size_t room);
size_t __mbsrtowcs_chk(wchar_t *to, const char **from, size_t max,
                       mbstate_t *state, size_t room);
size_t __wcsrtombs_chk(char *to, const wchar_t **from, size_t max,
                       mbstate_t *state, size_t room);
size_t __mbsnrtowcs_chk(wchar_t *to, const char **from, size_t bytes,
                        size_t max, mbstate_t *state, size_t room);
size_t __wcsnrtombs_chk(char *to, const wchar_t **from, size_t n, size_t max,
                        mbstate_t *state, size_t room);
int __wctomb_chk(char *to, wchar_t c, size_t room);
size_t __wcrtomb_chk(char *to, wchar_t c, mbstate_t *state, size_t room);
long __isoc23_strtol(const char *restrict s, char **restrict end, int base);
long long __isoc23_strtoll(const char *restrict s, char **restrict end,
                           int base);
unsigned long __isoc23_strtoul(const char *restrict s, char **restrict end,
                               int base);
unsigned long long __isoc23_strtoull(const char *restrict s,
                                     char **restrict end, int base);
intmax_t __isoc23_strtoimax(const char *restrict s, char **restrict end,
                            int base);
uintmax_t __isoc23_strtoumax(const char *restrict s, char **restrict end,
                             int base);

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

#endif
