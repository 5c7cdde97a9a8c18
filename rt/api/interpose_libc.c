/* interpose_libc.c -- counts what the C library and the kernel access for the
 * program in functions listed in shared/libc_calls.inc: all those that are not
 * for memory, char strings, formats or input and output.
 *
 * Programs call few of these functions, so each next definition is looked up at
 * its first call. Before the program creates its first thread, all remaining
 * ones are looked up: dlsym() waits for the lock of the dynamic linker. The
 * lock's holder may be waiting for this thread (in a constructor of a library
 * that it loads), or may not exist (in a forked child).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"
#include "rt/base/fault.h"
#include "rt/base/os.h"
#include "rt/record/mapping.h"

#include <aio.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <math.h>
#include <mntent.h>
#include <monetary.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <poll.h>
#include <pty.h>
#include <pwd.h>
#include <regex.h>
#include <resolv.h>
#include <search.h>
#include <semaphore.h>
#include <shadow.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <threads.h>
#include <uchar.h>
#include <utime.h>
#include <wordexp.h>

/* The headers declare array lengths that our declarations cannot repeat. */
#pragma GCC diagnostic ignored "-Warray-parameter"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wvla-parameter"
#endif

/* No header declares all of these functions. */
int epoll_pwait2(int fd, struct epoll_event *events, int count,
                 const struct timespec *timeout, const sigset_t *mask);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
size_t __mbsrtowcs_chk(wchar_t *to, const char **from, size_t max,
                       mbstate_t *state, size_t room);
size_t __wcsrtombs_chk(char *to, const wchar_t **from, size_t max,
                       mbstate_t *state, size_t room);
size_t __mbsnrtowcs_chk(wchar_t *to, const char **from, size_t from_n,
                        size_t max, mbstate_t *state, size_t room);
size_t __wcsnrtombs_chk(char *to, const wchar_t **from, size_t from_n,
                        size_t max, mbstate_t *state, size_t room);
#define MPROF_LIBC_CALL(name, type, parameters, arguments, accesses) \
    type name parameters;
#define MPROF_LIBC_VCALL(name, parameters, arguments, accesses) \
    void name parameters;
#define MPROF_LIBC_BEFORE(name, accesses)
#include "shared/libc_calls.inc"

/* -- The next definitions -------------------------------------------------- */

static struct {
#define MPROF_LIBC_NAME(name) __typeof__(&name) name;
#include "shared/libc_calls.inc"
} next;

static void *look_up(const char *name, void *slot)
{
    void *const found = mprt_real_form.find(name);

    *(void **)slot = found;
    return found;
}

#define NEXT(name)                   \
    (MPROF_LIKELY(next.name != NULL) \
         ? next.name                 \
         : (__typeof__(next.name))look_up(#name, &next.name))

/* Looks up all next definitions that are missing. A static program has no
 * dynamic linker and no such lock. */
static void look_up_all(void)
{
    static const char names[] =
#define MPROF_LIBC_NAME(name) #name "\0"
#include "shared/libc_calls.inc"
        ;
    static bool is_done;
    void **slot = (void **)&next;

    if (is_done || mprt_real_form.is_static)
        return;
    for (const char *name = names; *name != '\0'; slot++) {
        if (*slot == NULL)
            look_up(name, slot);
        name += mprt_real.strlen(name) + 1;
    }
    is_done = true;
}

/* -- What they access ------------------------------------------------------ */

#define FDS_BYTES(n) (((n) + 63) / 64 * 8)
/* Whether a result of mbrtowc() and its relatives says that a character was
 * converted. */
#define CONVERTED(done) ((done) < (size_t)-3)

/* n is negative if the function failed. */
static MPRT_NOINLINE void count(const volatile void *p, int64_t n,
                                bool is_write)
{
    if (p != NULL && n > 0)
        mprt_count(p, (size_t)n, is_write);
}

static void count_text(const char *s, bool is_write)
{
    mprt_count(s, mprt_count_text_bytes(s), is_write);
}

/* Counts an array of strings, with the NULL that ends it, as read. */
static void count_texts(char *const *p)
{
    size_t n = 0;

    if (p == NULL || !mprt_count_is_on())
        return;
    for (; p[n] != NULL; n++)
        count_text(p[n], false);
    mprt_count_read(p, (n + 1) * sizeof(*p));
}

/* How many of n bytes mbrtowc() read. */
static int64_t bytes_of_character(size_t done, size_t n)
{
    if (done == (size_t)-2)
        return (int64_t)n;
    return CONVERTED(done) ? (int64_t)(done + (done == 0)) : 0;
}

/* -- Strings --------------------------------------------------------------- */

/* Size in bytes of a string and its terminator, of `max` characters at most.
 * Not computed if neither accesses are counted nor copies are events. */
#define BYTES_OF_STRING(type, name, length)              \
    static size_t name(const type *s, size_t max)        \
    {                                                    \
        if (s == NULL || mprt_count_is_off_for_copies()) \
            return 0;                                    \
        const size_t n = MPRT_REAL(length)(s, max);      \
        return (n < max ? n + 1 : max) * sizeof(*s);     \
    }
BYTES_OF_STRING(char, bytes_of_text, strnlen)
BYTES_OF_STRING(wchar_t, bytes_of_wide, wcsnlen)

static size_t bytes_found(const wchar_t *s, const wchar_t *found)
{
    return found != NULL ? (size_t)(found - s + 1) * sizeof(*s)
                         : bytes_of_wide(s, SIZE_MAX);
}

static void count_copy(const void *to, const void *from, size_t read,
                       size_t written)
{
    mprt_count_read(from, read);
    mprt_count_write(to, written);
}

/* Called after up to `max` characters of `from` were appended to `to`. Returns
 * how many bytes were copied. */
static size_t count_append(const char *to, const char *from, size_t max)
{
    if (mprt_count_is_off_for_copies())
        return 0;
    const size_t n = MPRT_REAL(strnlen)(from, max);
    const size_t start = mprt_real.strlen(to) - n;
    mprt_count_read(to, start);
    count_copy(to + start, from, bytes_of_text(from, max), n + 1);
    return n + 1;
}

/* LLVM's runtime counts the terminator that is overwritten as read. */
static size_t count_wide_append(const wchar_t *to, const wchar_t *from,
                                size_t max)
{
    if (mprt_count_is_off_for_copies())
        return 0;
    const size_t n = MPRT_REAL(wcsnlen)(from, max);
    const size_t start = MPRT_REAL(wcslen)(to) - n;
    const size_t copied = (n + 1) * sizeof(*to);
    mprt_count_read(to, (start + 1) * sizeof(*to));
    count_copy(to + start, from, bytes_of_wide(from, max), copied);
    return copied;
}

static void count_compared(const wchar_t *a, const wchar_t *b, size_t max)
{
    size_t i = 0;

    if (mprt_count_is_off())
        return;
    while (i < max && a[i] == b[i] && a[i] != L'\0')
        i++;
    i += i < max;
    mprt_count_read(a, i * sizeof(*a));
    mprt_count_read(b, i * sizeof(*b));
}

/* Counts up to and including the first character that differs regardless of
 * case: the length of the shortest prefixes that do not compare equal. */
static void count_case_compared(const wchar_t *a, const wchar_t *b, size_t max)
{
    if (mprt_count_is_off())
        return;
    const size_t end = bytes_of_wide(a, max) / sizeof(*a);
    size_t low = 0;
    size_t high = end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (NEXT(wcsncasecmp)(a, b, middle + 1) == 0)
            low = middle + 1;
        else
            high = middle;
    }
    low += low < end;
    mprt_count_read(a, low * sizeof(*a));
    mprt_count_read(b, low * sizeof(*b));
}

/* -- Requests -------------------------------------------------------------- */

/* An ioctl request encodes how many bytes it reads and writes. Old requests of
 * terminals and the network do not; all others without a size have no
 * pointer. */
static void count_ioctl(unsigned long request, const void *p)
{
    const bool is_old = request >> 8 == 0x54 || request >> 8 == 0x89;

    if (_IOC_DIR(request) != _IOC_NONE)
        count(p, _IOC_SIZE(request), (_IOC_DIR(request) & _IOC_READ) != 0);
    else if (is_old && request != FIOCLEX && request != FIONCLEX)
        mprt_block_mark_unseen(p);
}

static void count_fcntl(int request, const void *p)
{
    const bool gets = request == F_GETLK || request == F_OFD_GETLK;

    if (gets || request == F_SETLK || request == F_SETLKW ||
        request == F_OFD_SETLK || request == F_OFD_SETLKW)
        count(p, sizeof(struct flock), gets);
    else if (request == F_GETOWN_EX || request == F_SETOWN_EX)
        count(p, sizeof(struct f_owner_ex), request == F_GETOWN_EX);
}

static void mark_semctl(int request, const void *p)
{
    if (request == GETALL || request == SETALL || request == IPC_STAT ||
        request == IPC_SET || request == IPC_INFO || request == SEM_INFO ||
        request == SEM_STAT)
        mprt_block_mark_unseen(p);
}

#define IOCTL(n, p) count_ioctl((uintptr_t)(n), p)
#define FCNTL(n, p) count_fcntl((int)(uintptr_t)(n), p)
#define SEMCTL(n, p) mark_semctl((int)(uintptr_t)(n), p)
#define READS(p, n) count(p, (int64_t)(n), false)
#define WRITES(p, n) count(p, (int64_t)(n), true)
#define WITHIN(p, n) mprt_count_write_within(p, (n) != NULL ? *(n) : 0)
#define R(p) READS(p, sizeof(*(p)))
#define W(p) WRITES(p, sizeof(*(p)))
#define W0(p) WRITES(done == 0 ? (p) : NULL, sizeof(*(p)))
#define WN(p) WRITES(done >= 0 ? (p) : NULL, sizeof(*(p)))
#define RWN(p) count(p, sizeof(*(p)), done >= 0)
/* The kernel accesses 8 bytes of a set of signals, and so does the library. */
#define RSET(p) READS(p, 8)
#define WSET(p) WRITES(p, 8)
#define RS(s) count_text(s, false)
#define WS(s) count_text(s, true)
#define RALL count_texts
#define BYTES_OF bytes_of_character
#define TEXT(s) bytes_of_text(s, SIZE_MAX)
#define TEXT_UP_TO bytes_of_text
#define WIDE(s) bytes_of_wide(s, SIZE_MAX)
#define WIDE_UP_TO bytes_of_wide
#define FOUND bytes_found
#define PADS(name, to, from, n, written)       \
    do {                                       \
        const size_t copied = (n);             \
                                               \
        count_copy(to, from, copied, written); \
        MPRT_COPIED(name, copied);             \
    } while (0)
#define COPIES(name, to, from, n) PADS(name, to, from, n, copied)
#define COPIES_MEMORY(name, to, from, n)   \
    do {                                   \
        if (mprt_options.intercept_intrin) \
            count_copy(to, from, n, n);    \
        MPRT_COPIED(name, n);              \
    } while (0)
#define APPENDED(name, n)          \
    do {                           \
        const size_t copied = (n); \
                                   \
        MPRT_COPIED(name, copied); \
    } while (0)
#define APPENDS(name, to, from, max) APPENDED(name, count_append(to, from, max))
#define WIDE_APPENDS(name, to, from, max) \
    APPENDED(name, count_wide_append(to, from, max))
#define COMPARES count_compared
#define CASE_COMPARES count_case_compared
#define CONVERTED_TO(p, has_end) \
    WRITES(done != (size_t)-1 ? (p) : NULL, (done + (has_end)) * sizeof(*(p)))
#define UNSEEN(p) mprt_block_mark_unseen((const void *)(uintptr_t)(p))

/* -- The functions --------------------------------------------------------- */

#define MPROF_LIBC_CALL(name, type, parameters, arguments, accesses) \
    MPRT_INTERFACE type name parameters                              \
    {                                                                \
        type const done = NEXT(name) arguments;                      \
                                                                     \
        accesses;                                                    \
        return done;                                                 \
    }
#define MPROF_LIBC_VCALL(name, parameters, arguments, accesses) \
    MPRT_INTERFACE void name parameters                         \
    {                                                           \
        NEXT(name) arguments;                                   \
        accesses;                                               \
    }

#define SAVE(n) "movups %xmm" #n ", 16*" #n "(%rsp)\n\t"
#define RESTORE(n) "movups 16*" #n "(%rsp), %xmm" #n "\n\t"
#define EACH_VECTOR(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7)

/* Defines an interceptor that counts and then jumps to the next definition with
 * all registers as they came in: it may be a library's own function. A call
 * would not do: rax has the number of vector registers of a variadic call, and
 * getcontext may return twice. */
#define MPROF_LIBC_BEFORE(name, accesses)                              \
    static __attribute__((used)) void *before_##name(                  \
        MPROF_LIBC_P(const void *, a), MPROF_LIBC_P(const void *, b),  \
        MPROF_LIBC_P(const void *, c), MPROF_LIBC_P(const void *, d),  \
        MPROF_LIBC_P(const void *, e), MPROF_LIBC_P(const void *, f))  \
    {                                                                  \
        accesses;                                                      \
        return (void *)NEXT(name);                                     \
    }                                                                  \
    void mprt_##name(void) __asm__(#name);                             \
    MPRT_INTERFACE __attribute__((naked)) void mprt_##name(void)       \
    {                                                                  \
        __asm__("push %rdi\n\tpush %rsi\n\tpush %rdx\n\tpush %rcx\n\t" \
                "push %r8\n\tpush %r9\n\tpush %rax\n\t"                \
                "sub $128, %rsp\n\t" EACH_VECTOR(                      \
                    SAVE) "call before_" #name                         \
                          "\n\tmov %rax, %r11\n\t" EACH_VECTOR(        \
                              RESTORE) "add $128, %rsp\n\t"            \
                                       "pop %rax\n\tpop %r9\n\tpop "   \
                                       "%r8\n\tpop %rcx\n\t"           \
                                       "pop %rdx\n\tpop %rsi\n\tpop "  \
                                       "%rdi\n\tjmp *%r11");           \
    }
#include "shared/libc_calls.inc"

MPRT_INTERFACE size_t iconv(iconv_t converter, char **restrict in,
                            size_t *restrict in_bytes, char **restrict out,
                            size_t *restrict out_bytes)
{
    char *const from = in != NULL ? *in : NULL;
    char *const to = out != NULL ? *out : NULL;
    const size_t done = NEXT(iconv)(converter, in, in_bytes, out, out_bytes);

    READS(from, from != NULL ? *in - from : 0);
    WRITES(to, to != NULL ? *out - to : 0);
    W(in);
    W(in_bytes);
    W(out);
    W(out_bytes);
    return done;
}

/* *from is the rest of the input after the call. */
#define CONVERT_SOME(name, to_type, from_type, parameters, arguments) \
    MPRT_INTERFACE size_t name(to_type *to, const from_type **from,   \
                               size_t from_n, size_t max,             \
                               mbstate_t *state parameters)           \
    {                                                                 \
        const from_type *const start = *from;                         \
        const size_t done =                                           \
            NEXT(name)(to, from, from_n, max, state arguments);       \
                                                                      \
        R(from);                                                      \
        READS(start, from_n * sizeof(*start));                        \
        R(state);                                                     \
        CONVERTED_TO(to, to != NULL && *from == NULL);                \
        return done;                                                  \
    }
/* The input is marked before the call, which may set *from to NULL. */
#define CONVERT_ALL(name, to_type, from_type, parameters, arguments)    \
    MPRT_INTERFACE size_t name(to_type *to, const from_type **from,     \
                               size_t max, mbstate_t *state parameters) \
    {                                                                   \
        UNSEEN(*from);                                                  \
        const size_t done = NEXT(name)(to, from, max, state arguments); \
                                                                        \
        R(from);                                                        \
        R(state);                                                       \
        CONVERTED_TO(to, to != NULL && *from == NULL);                  \
        return done;                                                    \
    }
#define AND(...) , __VA_ARGS__
CONVERT_ALL(mbsrtowcs, wchar_t, char, , )
CONVERT_ALL(__mbsrtowcs_chk, wchar_t, char, AND(size_t room), AND(room))
CONVERT_ALL(wcsrtombs, char, wchar_t, , )
CONVERT_ALL(__wcsrtombs_chk, char, wchar_t, AND(size_t room), AND(room))
CONVERT_SOME(mbsnrtowcs, wchar_t, char, , )
CONVERT_SOME(__mbsnrtowcs_chk, wchar_t, char, AND(size_t room), AND(room))
CONVERT_SOME(wcsnrtombs, char, wchar_t, , )
CONVERT_SOME(__wcsnrtombs_chk, char, wchar_t, AND(size_t room), AND(room))

/* Size of the stack that libc maps for a thread; 0 if the program gives it one.
 */
static size_t stack_size(const pthread_attr_t *attributes)
{
    pthread_attr_t usual;
    size_t size = 0;
    void *at = NULL;

    NEXT(pthread_attr_init)(&usual);
    if (attributes == NULL)
        attributes = &usual;
    NEXT(pthread_attr_getstack)(attributes, &at, &size);
    if ((uintptr_t)at + size != 0)
        return 0;
    NEXT(pthread_attr_getstacksize)(attributes, &size);
    return mprof_round_up(size, mprt_os_page_bytes());
}

/* The last page of a stack holds what the thread's id points to, which begins
 * with its own address (x86-64 ABI). The new thread may have freed the memory
 * of the id or ended by now. */
static void note_stack(const pthread_t *thread, size_t size,
                       struct mprt_caller caller)
{
    if (size == 0 || !mprt_os_is_readable((uintptr_t)thread))
        return;
    const uintptr_t id = mprt_fault_read((uintptr_t)thread);

    if (id % sizeof(id) != 0 || !mprt_os_is_readable(id) ||
        mprt_fault_read(id) != id)
        return;
    const uintptr_t end = mprof_round_up(id + 1, mprt_os_page_bytes());

    mprt_mapping_add(end - size, size, MPRT_MAPPING_STACKS, caller);
}

MPRT_INTERFACE int pthread_create(pthread_t *restrict thread,
                                  const pthread_attr_t *restrict attributes,
                                  void *(*start)(void *), void *restrict arg)
{
    look_up_all();
    const size_t size = stack_size(attributes);
    const int done = NEXT(pthread_create)(thread, attributes, start, arg);

    W0(thread);
    R(attributes);
    if (done == 0)
        note_stack(thread, size, MPRT_CALLER());
    return done;
}

MPRT_INTERFACE int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
    look_up_all();
    const int done = NEXT(thrd_create)(thread, start, arg);

    W0(thread);
    return done;
}
