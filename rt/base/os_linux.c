/* os_linux.c -- the operating system: system calls for x86-64 Linux, the vDSO,
 * and what the kernel left on the first stack. Nothing here goes through libc,
 * so it works before libc is ready and leaves errno alone.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os.h"
#include "rt/base/libc.h"
#include "rt/base/sandbox.h"
#include "rt/base/textbuf.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <linux/sysinfo.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define STANDARD_FD_MAX 2
#define SIGNALS_BLOCK 0 /* SIG_BLOCK */
#define SIGNALS_UNBLOCK 1
#define SIGNALS_SET 2 /* SIG_SETMASK */
#define SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))
#define RENAME_EXCLUSIVE 1 /* RENAME_NOREPLACE of <linux/fs.h> */
/* Of <sched.h>, <linux/prctl.h> and <linux/wait.h>. */
#define SHARE_MEMORY 0x00000100     /* CLONE_VM */
#define SHARE_DIRECTORY 0x00000200  /* CLONE_FS */
#define SET_TLS 0x00080000          /* CLONE_SETTLS */
#define CLEAR_TID 0x00200000        /* CLONE_CHILD_CLEARTID */
#define SET_TID 0x00100000          /* CLONE_PARENT_SETTID */
#define DEATH_SIGNAL 1              /* PR_SET_PDEATHSIG */
#define PROCESS_NAME 15             /* PR_SET_NAME */
#define THREAD_NAME 16              /* PR_GET_NAME */
#define COUNTER_STATE 25            /* PR_GET_TSC */
#define COUNTER_IS_FREE 1           /* PR_TSC_ENABLE */
#define WAIT_ALL 0x40000000         /* __WALL */
#define HANDLER_RESTORES 0x04000000 /* SA_RESTORER */
#define FOR_WRITING 4               /* POLLOUT of <poll.h> */
#define PIPE_PART_BYTES 4096        /* PIPE_BUF */
#define STREAM_PATIENCE_MS 10000
#define DESCRIPTORS_MAX 65536

/* Of <linux/ptrace.h>, and the sets of registers of <linux/elf.h>. */
#define TRACE_DETACH 17          /* PTRACE_DETACH */
#define TRACE_REGISTERS 0x4204   /* PTRACE_GETREGSET */
#define TRACE_SEIZE 0x4206       /* PTRACE_SEIZE */
#define TRACE_INTERRUPT 0x4207   /* PTRACE_INTERRUPT */
#define REGISTERS_GENERAL 1      /* NT_PRSTATUS */
#define REGISTERS_EXTENDED 0x202 /* NT_X86_XSTATE */
#define LET_TRACE 0x59616d61     /* PR_SET_PTRACER */
#define WAIT_NOT 1               /* WNOHANG */

/* Of <errno.h>, which stays out of here. */
#define ERROR_PERMISSION (-1)
#define ERROR_NO_ENTRY (-2)
#define ERROR_INTERRUPTED (-4)
#define ERROR_AGAIN (-11)
#define ERROR_NO_MEMORY (-12)
#define ERROR_ACCESS (-13)
#define ERROR_INVALID (-22)
#define ERROR_NO_SYSCALL (-38)
#define ERROR_IO (-5)
#define ERROR_MIN (-4095)

static inline int64_t call_kernel(long number, uint64_t a, uint64_t b,
                                  uint64_t c, uint64_t d, uint64_t e,
                                  uint64_t f)
{
    register uint64_t r10 __asm__("r10") = d;
    register uint64_t r8 __asm__("r8") = e;
    register uint64_t r9 __asm__("r9") = f;
    int64_t result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                       "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* What the program would die of fails instead. */
static __attribute__((noinline)) int64_t call6(long number, uint64_t a,
                                               uint64_t b, uint64_t c,
                                               uint64_t d, uint64_t e,
                                               uint64_t f)
{
    const struct mprt_sandbox_call call = {number, {a, b, c, d, e, f}};

    if (mprt_sandbox_is_there() && !mprt_sandbox_allows(&call))
        return ERROR_NO_SYSCALL;
    return call_kernel(number, a, b, c, d, e, f);
}

static inline int64_t call4(long number, uint64_t a, uint64_t b, uint64_t c,
                            uint64_t d)
{
    return call6(number, a, b, c, d, 0, 0);
}

static inline bool is_error(int64_t result)
{
    return result < 0 && result >= ERROR_MIN;
}

/* -- memory ---------------------------------------------------------------- */

static void *map(uintptr_t addr, size_t bytes, int protection, int flags)
{
    const int64_t result =
        call6(SYS_mmap, addr, bytes, (uint64_t)protection,
              (uint64_t)(MAP_PRIVATE | MAP_ANONYMOUS | flags), UINT64_MAX, 0);

    return is_error(result) ? NULL : (void *)result;
}

void *mprt_os_map(size_t bytes)
{
    return map(0, bytes, PROT_READ | PROT_WRITE, 0);
}

void *mprt_os_reserve(uintptr_t hint, size_t bytes)
{
    return map(hint, bytes, PROT_NONE, MAP_NORESERVE);
}

static bool map_over(void *addr, size_t bytes, int flags)
{
    return map((uintptr_t)addr, bytes, PROT_READ | PROT_WRITE,
               MAP_FIXED | MAP_NORESERVE | flags) == addr;
}

bool mprt_os_open(void *addr, size_t bytes)
{
    const int64_t result =
        call4(SYS_mprotect, (uintptr_t)addr, bytes, PROT_READ | PROT_WRITE, 0);

    /* Programs that forbid themselves mprotect() may allow mmap(). */
    return !is_error(result) ||
           (result != ERROR_NO_MEMORY && map_over(addr, bytes, 0));
}

bool mprt_os_open_as_stack(void *addr, size_t bytes)
{
    return map_over(addr, bytes, MAP_GROWSDOWN);
}

int mprt_os_limit(int resource, const struct mprt_os_limit *now,
                  struct mprt_os_limit *before)
{
    return (int)call4(SYS_prlimit64, 0, (uint64_t)resource, (uintptr_t)now,
                      (uintptr_t)before);
}

void mprt_os_advise(void *addr, size_t bytes, int advice)
{
    call4(SYS_madvise, (uintptr_t)addr, bytes, (uint64_t)advice, 0);
}

void mprt_os_unmap(void *addr, size_t bytes)
{
    call4(SYS_munmap, (uintptr_t)addr, bytes, 0, 0);
}

#define DONTNEED_LOCKED 24 /* MADV_: of Linux 5.18; older headers lack it */

bool mprt_os_discard(void *addr, size_t bytes)
{
    return !is_error(
               call4(SYS_madvise, (uintptr_t)addr, bytes, MADV_DONTNEED, 0)) ||
           !is_error(
               call4(SYS_madvise, (uintptr_t)addr, bytes, DONTNEED_LOCKED, 0));
}

bool mprt_os_renew(void *addr, size_t bytes)
{
    return map_over(addr, bytes, 0);
}

uint64_t mprt_os_memory_bytes(void)
{
    struct sysinfo info;

    return is_error(call4(SYS_sysinfo, (uintptr_t)&info, 0, 0, 0))
               ? UINT64_MAX
               : (info.totalram + info.totalswap) * info.mem_unit;
}

/* PAGEMAP_SCAN, of Linux 6.7; older headers lack it. */
struct scan_argument {
    uint64_t size, flags, start, end, walk_end, regions, regions_count;
    uint64_t max_pages, inverted, all_of, any_of, returned;
};
#define SCAN_NUMBER UINT64_C(0xc0606610)
_Static_assert(sizeof(struct scan_argument) == 96, "as the number says");
#define SCAN_EXISTS UINT64_C(0x18) /* present, swapped */

int64_t mprt_os_scan_pages(int fd, uintptr_t start, uintptr_t end,
                           struct mprt_os_region *regions, size_t count,
                           uintptr_t *next)
{
    struct scan_argument a = {.size = sizeof(a),
                              .start =
                                  mprof_round_down(start, mprt_os_page_bytes()),
                              .end = mprof_round_up(end, mprt_os_page_bytes()),
                              .regions = (uintptr_t)regions,
                              .regions_count = count,
                              .any_of = SCAN_EXISTS,
                              .returned = SCAN_EXISTS};
    const int64_t n =
        call4(SYS_ioctl, (uint64_t)fd, SCAN_NUMBER, (uintptr_t)&a, 0);
    *next = (uintptr_t)a.walk_end;
    return n;
}

size_t mprt_os_page_bytes(void)
{
    return 4096; /* x86-64 has no other */
}

uint64_t mprt_os_block_signals(void)
{
    const uint64_t all = UINT64_MAX;
    uint64_t before = 0;

    call4(SYS_rt_sigprocmask, SIGNALS_SET, (uintptr_t)&all, (uintptr_t)&before,
          sizeof(all));
    return before;
}

uint64_t mprt_os_block_other_signals(void)
{
    const uint64_t others =
        ~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) |
          SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP));
    uint64_t before = 0;

    call4(SYS_rt_sigprocmask, SIGNALS_SET, (uintptr_t)&others,
          (uintptr_t)&before, sizeof(others));
    return before;
}

uint64_t mprt_os_change_signals(bool blocks, uint64_t signals)
{
    uint64_t before = 0;

    call4(SYS_rt_sigprocmask, blocks ? SIGNALS_BLOCK : SIGNALS_UNBLOCK,
          (uintptr_t)&signals, (uintptr_t)&before, sizeof(signals));
    return before;
}

void mprt_os_restore_signals(uint64_t before)
{
    call4(SYS_rt_sigprocmask, SIGNALS_SET, (uintptr_t)&before, 0,
          sizeof(before));
}

bool mprt_os_raise(int number, void *siginfo)
{
    const uint32_t pid = mprt_os_pid();
    const uint32_t tid = mprt_os_tid();

    return !is_error(call4(SYS_rt_tgsigqueueinfo, pid, tid, (uint64_t)number,
                           (uintptr_t)siginfo)) ||
           !is_error(call4(SYS_tgkill, pid, tid, (uint64_t)number, 0));
}

int mprt_os_signal_stack(const void *stack, void *before)
{
    return (int)call4(SYS_sigaltstack, (uintptr_t)stack, (uintptr_t)before, 0,
                      0);
}

bool mprt_os_is_readable(uintptr_t addr)
{
    /* The kernel reads the new mask before it looks at the invalid first
     * argument: EFAULT tells unreadable memory, EINVAL readable. No signal mask
     * changes, and no sandbox forbids this call. */
    return call4(SYS_rt_sigprocmask, UINT32_MAX, addr & ~(uintptr_t)7, 0, 8) ==
           ERROR_INVALID;
}

/* -- the first stack: arguments, environment, auxiliary vector ------------- */

extern void *__libc_stack_end;

static bool is_static_program;

/* Pointers to the first of the environment's strings. The start code of static
 * programs has pushed one word when it tells libc where the stack ends. */
static const char *const *first_environment(void)
{
    const uint64_t *const stack =
        (const uint64_t *)__libc_stack_end + is_static_program;

    return (const char *const *)(stack + 1 + stack[0] + 1);
}

uintptr_t mprt_os_stack_end(void)
{
    return (uintptr_t)__libc_stack_end;
}

const char *mprt_os_getenv(const char *name)
{
    const size_t length = mprt_libc_strlen(name);

    for (const char *const *e = first_environment(); *e != NULL; e++) {
        if (mprt_libc_strlen(*e) > length && (*e)[length] == '=' &&
            mprt_libc_memcmp(*e, name, length) == 0)
            return *e + length + 1;
    }
    return NULL;
}

uint64_t mprt_os_auxv(uint64_t type)
{
    const char *const *e = first_environment();
    const Elf64_auxv_t *aux;

    while (*e != NULL)
        e++;
    /* Variables that the dynamic linker took out leave more than one NULL (it
     * does so exactly where AT_SECURE is set); no entry begins with a zero. */
    while (*e == NULL)
        e++;
    for (aux = (const Elf64_auxv_t *)(const void *)e; aux->a_type != AT_NULL;
         aux++) {
        if (aux->a_type == type)
            return aux->a_un.a_val;
    }
    return 0;
}

/* -- the vDSO -------------------------------------------------------------- */

typedef int clock_gettime_fn(clockid_t clock, struct timespec *ts);

static clock_gettime_fn *_Atomic vdso_clock_gettime;

/* The address of a function in the vDSO, or NULL. Its symbol table is as long
 * as its hash table says. */
static void *find_in_vdso(const char *name)
{
    const uintptr_t base = mprt_os_auxv(AT_SYSINFO_EHDR);
    const Elf64_Ehdr *const ehdr = (const Elf64_Ehdr *)base;
    const Elf64_Dyn *dyn = NULL;
    const Elf64_Sym *symbols = NULL;
    const char *strings = NULL;
    const Elf64_Word *hash = NULL;
    uintptr_t bias = 0;

    if (base == 0)
        return NULL;
    const Elf64_Phdr *const phdr = (const Elf64_Phdr *)(base + ehdr->e_phoff);
    for (unsigned i = 0; i < ehdr->e_phnum; i++) {
        if (phdr[i].p_type == PT_LOAD)
            bias = base + phdr[i].p_offset - phdr[i].p_vaddr;
        else if (phdr[i].p_type == PT_DYNAMIC)
            dyn = (const Elf64_Dyn *)(base + phdr[i].p_offset);
    }
    for (; dyn != NULL && dyn->d_tag != DT_NULL; dyn++) {
        const uintptr_t at = bias + dyn->d_un.d_ptr;
        if (dyn->d_tag == DT_SYMTAB)
            symbols = (const Elf64_Sym *)at;
        else if (dyn->d_tag == DT_STRTAB)
            strings = (const char *)at;
        else if (dyn->d_tag == DT_HASH)
            hash = (const Elf64_Word *)at;
    }
    if (symbols == NULL || strings == NULL || hash == NULL)
        return NULL;
    for (Elf64_Word i = 0; i < hash[1]; i++) {
        if (symbols[i].st_shndx != SHN_UNDEF &&
            mprt_libc_strcmp(strings + symbols[i].st_name, name) == 0)
            return (void *)(bias + symbols[i].st_value);
    }
    return NULL;
}

void mprt_os_init(bool is_static)
{
    is_static_program = is_static;
    vdso_clock_gettime =
        (clock_gettime_fn *)find_in_vdso("__vdso_clock_gettime");
}

/* -- time and place -------------------------------------------------------- */

static bool read_clock_in_vdso(clockid_t clock, struct timespec *ts)
{
    clock_gettime_fn *const read =
        atomic_load_explicit(&vdso_clock_gettime, memory_order_relaxed);

    return read != NULL && read(clock, ts) == 0;
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec ts = {0, 0};

    if (!read_clock_in_vdso(clock, &ts))
        call4(SYS_clock_gettime, (uint64_t)clock, (uintptr_t)&ts, 0, 0);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void mprt_os_avoid_vdso(void)
{
    atomic_store_explicit(&vdso_clock_gettime, NULL, memory_order_relaxed);
}

bool mprt_os_may_read_counter(void)
{
    int how = COUNTER_IS_FREE;

    call4(SYS_prctl, COUNTER_STATE, (uintptr_t)&how, 0, 0);
    return how == COUNTER_IS_FREE;
}

uint64_t mprt_os_realtime_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

uint64_t mprt_os_monotonic_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t mprt_os_coarse_ns(void)
{
    return read_clock(CLOCK_MONOTONIC_COARSE);
}

uint64_t mprt_os_coarse_resolution_ns(void)
{
    struct timespec ts = {0, 0};

    call4(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, (uintptr_t)&ts, 0, 0);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint32_t mprt_os_cpu_slow(void)
{
    uint32_t cpu = 0;

    call4(SYS_getcpu, (uintptr_t)&cpu, 0, 0, 0);
    return cpu;
}

uint32_t mprt_os_pid(void)
{
    return (uint32_t)call4(SYS_getpid, 0, 0, 0, 0);
}

uint32_t mprt_os_tid(void)
{
    return (uint32_t)call4(SYS_gettid, 0, 0, 0, 0);
}

void mprt_os_thread_name(char name[MPRT_THREADNAME_BYTES])
{
    call4(SYS_prctl, THREAD_NAME, (uintptr_t)name, 0, 0);
}

void mprt_os_yield(void)
{
    call4(SYS_sched_yield, 0, 0, 0, 0);
}

uint64_t mprt_os_random(void)
{
    uint64_t value = 0;

    if (call4(SYS_getrandom, (uintptr_t)&value, sizeof(value), 1, 0) !=
        sizeof(value))
        value = mprt_os_realtime_ns() * UINT64_C(0x9e3779b97f4a7c15) ^
                mprt_os_pid();
    return value;
}

_Noreturn void mprt_os_exit(int status)
{
    for (;;)
        call_kernel(SYS_exit_group, (uint64_t)status, 0, 0, 0, 0, 0);
}

/* -- files ----------------------------------------------------------------- */

/* Where the program closed its standard descriptors, files must not take their
 * place: what is said there would get into them. */
static int64_t keep_off_standard(int64_t fd)
{
    if (fd < 0 || fd > STANDARD_FD_MAX)
        return fd;
    const int64_t higher =
        call4(SYS_fcntl, (uint64_t)fd, F_DUPFD_CLOEXEC, STANDARD_FD_MAX + 1, 0);
    mprt_os_close((int)fd);
    return higher;
}

static int open_file(const char *path, int flags, unsigned mode)
{
    int64_t result;

    do {
        result = call4(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path,
                       (uint64_t)(flags | O_CLOEXEC), mode);
    } while (result == ERROR_INTERRUPTED);
    return (int)keep_off_standard(result);
}

int mprt_os_open_read(const char *path)
{
    return open_file(path, O_RDONLY, 0);
}

/* The owner's rights stay, whatever the umask takes: nobody could read it. */
static int create_file(const char *path, int flags, unsigned mode)
{
    const int fd = open_file(path, O_RDWR | flags, mode);
    struct stat st;

    if (fd >= 0 && call4(SYS_fstat, (uint64_t)fd, (uintptr_t)&st, 0, 0) == 0 &&
        (~st.st_mode & mode & S_IRWXU) != 0)
        call4(SYS_fchmod, (uint64_t)fd, (st.st_mode | mode) & S_IRWXU, 0, 0);
    return fd;
}

int mprt_os_create_exclusive(const char *path, unsigned mode)
{
    return create_file(path, O_CREAT | O_EXCL, mode);
}

int mprt_os_create_unnamed(const char *dir, unsigned mode)
{
    return create_file(dir, O_TMPFILE, mode);
}

int mprt_os_name_file(int fd, const char *path)
{
    char source[32];
    struct mprt_textbuf t = {.out = source, .size = sizeof(source)};

    mprt_textbuf_str(&t, "/proc/self/fd/");
    mprt_textbuf_uint(&t, (uint64_t)fd);
    return (int)call6(SYS_linkat, (uint64_t)AT_FDCWD, (uintptr_t)source,
                      (uint64_t)AT_FDCWD, (uintptr_t)path, AT_SYMLINK_FOLLOW,
                      0);
}

int mprt_os_close(int fd)
{
    return (int)call4(SYS_close, (uint64_t)fd, 0, 0, 0);
}

int64_t mprt_os_read(int fd, void *data, size_t n)
{
    int64_t result;

    do {
        result = call4(SYS_read, (uint64_t)fd, (uintptr_t)data, n, 0);
    } while (result == ERROR_INTERRUPTED);
    return result;
}

int64_t mprt_os_read_at(int fd, void *data, size_t n, uint64_t offset)
{
    int64_t result;

    do {
        result = call4(SYS_pread64, (uint64_t)fd, (uintptr_t)data, n, offset);
    } while (result == ERROR_INTERRUPTED);
    return result;
}

static _Thread_local int write_patience_ms;

void mprt_os_set_write_patience(int milliseconds)
{
    write_patience_ms = milliseconds;
}

/* False where it takes nothing for too long. */
static bool wait_to_write(int fd)
{
    struct {
        int fd;
        int16_t events;
        int16_t seen;
    } place = {fd, FOR_WRITING, 0};
    int64_t result;

    if (write_patience_ms == 0)
        return true;
    do {
        result = call4(SYS_poll, (uintptr_t)&place, 1,
                       (uint64_t)write_patience_ms, 0);
    } while (result == ERROR_INTERRUPTED);
    return result != 0;
}

static int write_all(int fd, const void *data, size_t n)
{
    const char *p = data;

    while (n != 0) {
        /* What a pipe has room for that has room. */
        const size_t part =
            write_patience_ms != 0 ? mprof_min_u64(n, PIPE_PART_BYTES) : n;
        if (!wait_to_write(fd))
            return ERROR_AGAIN;
        const int64_t result =
            call4(SYS_write, (uint64_t)fd, (uintptr_t)p, part, 0);
        if (result == ERROR_INTERRUPTED)
            continue;
        if (result <= 0)
            return result == 0 ? ERROR_IO : (int)result;
        p += result;
        n -= (size_t)result;
    }
    return 0;
}

/* A file beyond the limit of its size and a pipe that nobody reads are told by
 * signals that end the program; here, the error is enough. What the program has
 * waiting itself stays. */
int mprt_os_write_all(int fd, const void *data, size_t n)
{
    const uint64_t unwanted = SIGNAL_BIT(SIGXFSZ) | SIGNAL_BIT(SIGPIPE);
    const struct timespec at_once = {0, 0};
    uint64_t before = 0;
    uint64_t waiting = 0;
    uint64_t raised = 0;

    call4(SYS_rt_sigprocmask, SIGNALS_BLOCK, (uintptr_t)&unwanted,
          (uintptr_t)&before, sizeof(unwanted));
    call4(SYS_rt_sigpending, (uintptr_t)&waiting, sizeof(waiting), 0, 0);
    const int result = write_all(fd, data, n);
    if (result != 0) {
        raised = unwanted & ~waiting;
        while (raised != 0 &&
               !is_error(call4(SYS_rt_sigtimedwait, (uintptr_t)&raised, 0,
                               (uintptr_t)&at_once, sizeof(raised))))
            continue;
    }
    mprt_os_restore_signals(before);
    return result;
}

/* Not a file, whose position the kernel keeps for each writing as a whole, and
 * no device, which all programs share. */
static bool is_stream(int fd)
{
    struct stat st;

    return call4(SYS_fstat, (uint64_t)fd, (uintptr_t)&st, 0, 0) == 0 &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

bool mprt_os_lock_stream(int fd)
{
    const struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int patience =
        write_patience_ms != 0 ? write_patience_ms : STREAM_PATIENCE_MS;
    _Atomic uint32_t nothing = 0;

    if (!is_stream(fd))
        return false;
    for (int ms = 0; ms < patience; ms++) {
        const int64_t result =
            call4(SYS_fcntl, (uint64_t)fd, F_SETLK, (uintptr_t)&lock, 0);
        if (result != ERROR_AGAIN && result != ERROR_ACCESS)
            return result == 0;
        mprt_os_sleep_privately(&nothing, 0, NS_PER_MS);
    }
    return false;
}

void mprt_os_unlock_stream(int fd)
{
    const struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    call4(SYS_fcntl, (uint64_t)fd, F_SETLK, (uintptr_t)&lock, 0);
}

int mprt_os_truncate(const char *path, uint64_t bytes)
{
    return (int)call4(SYS_truncate, (uintptr_t)path, bytes, 0, 0);
}

int mprt_os_rename_exclusive(const char *from, const char *to)
{
    int64_t result =
        call6(SYS_renameat2, (uint64_t)AT_FDCWD, (uintptr_t)from,
              (uint64_t)AT_FDCWD, (uintptr_t)to, RENAME_EXCLUSIVE, 0);

    if (result != ERROR_INVALID && result != ERROR_NO_SYSCALL &&
        result != ERROR_PERMISSION)
        return (int)result;
    /* File systems without that flag, and sandboxes: a second name, then the
     * first goes. */
    result = call4(SYS_link, (uintptr_t)from, (uintptr_t)to, 0, 0);
    if (!is_error(result))
        mprt_os_unlink(from);
    return (int)result;
}

int mprt_os_rename_over(const char *from, const char *to)
{
    return (int)call4(SYS_rename, (uintptr_t)from, (uintptr_t)to, 0, 0);
}

int mprt_os_unlink(const char *path)
{
    return (int)call4(SYS_unlink, (uintptr_t)path, 0, 0, 0);
}

int mprt_os_mkdir(const char *path, unsigned mode)
{
    const int err = (int)call4(SYS_mkdir, (uintptr_t)path, mode, 0, 0);
    struct stat st;

    if (err == 0 &&
        call4(SYS_stat, (uintptr_t)path, (uintptr_t)&st, 0, 0) == 0 &&
        (~st.st_mode & mode & S_IRWXU) != 0)
        call4(SYS_chmod, (uintptr_t)path, (st.st_mode | mode) & S_IRWXU, 0, 0);
    return err;
}

int64_t mprt_os_readlink(const char *path, char *out, size_t size)
{
    return call4(SYS_readlink, (uintptr_t)path, (uintptr_t)out, size, 0);
}

bool mprt_os_getcwd(char *out, size_t size)
{
    return call4(SYS_getcwd, (uintptr_t)out, size, 0, 0) > 0 && out[0] == '/';
}

int mprt_os_open_special(const char *path)
{
    struct stat st;
    int64_t fd;

    if (call4(SYS_newfstatat, (uint64_t)AT_FDCWD, (uintptr_t)path,
              (uintptr_t)&st, 0) != 0 ||
        S_ISREG(st.st_mode))
        return ERROR_NO_ENTRY;
    fd = open_file(path, O_WRONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd >= 0)
        call4(SYS_fcntl, (uint64_t)fd, F_SETFL, O_WRONLY, 0);
    return (int)fd;
}

/* -- a process that shares this memory ------------------------------------- */

int mprt_os_spawn(void *stack_top, void *tls, _Atomic uint32_t *tid,
                  void (*function)(void))
{
    /* No exit signal: wait() does not see it. */
    const uint64_t flags =
        SHARE_MEMORY | SHARE_DIRECTORY | SET_TLS | CLEAR_TID | SET_TID;
    const struct mprt_sandbox_call call = {SYS_clone, {flags}};

    if (mprt_sandbox_is_there() && !mprt_sandbox_allows(&call))
        return ERROR_NO_SYSCALL;
    register uint64_t r10 __asm__("r10") = (uintptr_t)tid;
    register uint64_t r8 __asm__("r8") = (uintptr_t)tls;
    register void (*r9)(void) __asm__("r9") = function;
    int64_t result;

    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "callq *%%r9\n\t"
                     "hlt\n"
                     "1:"
                     : "=a"(result)
                     : "a"((uint64_t)SYS_clone), "D"(flags), "S"(stack_top),
                       "d"(tid), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return (int)result;
}

uint32_t mprt_os_parent_pid(void)
{
    return (uint32_t)call4(SYS_getppid, 0, 0, 0, 0);
}

uint64_t mprt_os_cpu_time_ns(uint32_t pid)
{
    struct timespec ts = {0, 0};

    /* The kernel's number of the clock of all threads of a process. */
    call4(SYS_clock_gettime, (uint64_t)(~(int64_t)pid * 8 + 2), (uintptr_t)&ts,
          0, 0);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void mprt_os_close_all(void)
{
    if (!is_error(call4(SYS_close_range, 0, UINT32_MAX, 0, 0)))
        return;
    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++)
        mprt_os_close(fd);
}

void mprt_os_at_parent_death(int number)
{
    call4(SYS_prctl, DEATH_SIGNAL, (uint64_t)number, 0, 0);
}

void mprt_os_name_process(const char *name)
{
    call4(SYS_prctl, PROCESS_NAME, (uintptr_t)name, 0, 0);
}

void mprt_os_kill(uint32_t pid, int number)
{
    call4(SYS_kill, pid, (uint64_t)number, 0, 0);
}

void mprt_os_reap(uint32_t pid)
{
    while (call4(SYS_wait4, pid, 0, WAIT_ALL, 0) == ERROR_INTERRUPTED)
        continue;
}

/* -- looking at threads ---------------------------------------------------- */

int mprt_os_trace(uint32_t tid)
{
    const int64_t result = call4(SYS_ptrace, TRACE_SEIZE, tid, 0, 0);

    return (int)(is_error(result)
                     ? result
                     : call4(SYS_ptrace, TRACE_INTERRUPT, tid, 0, 0));
}

enum mprt_os_traced mprt_os_trace_look(uint32_t tid, int *signal)
{
    int status = 0;
    int64_t result;

    *signal = 0;
    do {
        result =
            call4(SYS_wait4, tid, (uintptr_t)&status, WAIT_ALL | WAIT_NOT, 0);
    } while (result == ERROR_INTERRUPTED);
    if (result == 0)
        return MPRT_OS_TRACED_RUNS;
    if (is_error(result) || (status & 0xff) != 0x7f)
        return MPRT_OS_TRACED_ENDED;
    /* A signal was on its way to it, and came before what we asked for. */
    if (status >> 16 == 0)
        *signal = status >> 8 & 0xff;
    return MPRT_OS_TRACED_STANDS;
}

static int64_t read_registers(uint32_t tid, uint64_t set, void *out,
                              size_t size)
{
    struct {
        void *data;
        size_t bytes;
    } place = {out, size};
    const int64_t result =
        call4(SYS_ptrace, TRACE_REGISTERS, tid, set, (uintptr_t)&place);

    return is_error(result) ? result : (int64_t)place.bytes;
}

int64_t mprt_os_trace_registers(uint32_t tid, void *out, size_t size)
{
    return read_registers(tid, REGISTERS_GENERAL, out, size);
}

int64_t mprt_os_trace_more_registers(uint32_t tid, void *out, size_t size)
{
    return read_registers(tid, REGISTERS_EXTENDED, out, size);
}

void mprt_os_trace_end(uint32_t tid, int signal)
{
    call4(SYS_ptrace, TRACE_DETACH, tid, 0, (uint64_t)signal);
}

void mprt_os_let_trace(uint32_t pid)
{
    call4(SYS_prctl, LET_TRACE, pid, 0, 0);
}

int64_t mprt_os_read_dir(int fd, void *data, size_t n)
{
    return call4(SYS_getdents64, (uint64_t)fd, (uintptr_t)data, n, 0);
}

/* What a handler returns to: rt_sigreturn. A local name of the assembler's. */
void restore_context(void);
__asm__(".text\n"
        ".type restore_context, @function\n"
        "restore_context:\n"
        "    movq $15, %rax\n"
        "    syscall\n"
        ".size restore_context, . - restore_context\n");

/* As the kernel has it. */
struct action {
    void (*handler)(int number);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

void mprt_os_handle(int number, void (*handler)(int number))
{
    const struct action action = {handler, HANDLER_RESTORES | SA_NODEFER,
                                  restore_context, 0};

    call4(SYS_rt_sigaction, (uint64_t)number, (uintptr_t)&action, 0,
          sizeof(action.mask));
}

bool mprt_os_set_default(int number)
{
    static const struct action action;

    return !is_error(call4(SYS_rt_sigaction, (uint64_t)number,
                           (uintptr_t)&action, 0, sizeof(action.mask)));
}

static void sleep_on(_Atomic uint32_t *word, int operation, uint32_t seen,
                     uint64_t ns)
{
    const struct timespec timeout = {.tv_sec = (time_t)(ns / NS_PER_S),
                                     .tv_nsec = (long)(ns % NS_PER_S)};

    call6(SYS_futex, (uintptr_t)word, (uint64_t)operation, seen,
          ns != UINT64_MAX ? (uintptr_t)&timeout : 0, 0, 0);
}

void mprt_os_sleep_on(_Atomic uint32_t *word, uint32_t seen, uint64_t ns)
{
    sleep_on(word, FUTEX_WAIT, seen, ns);
}

void mprt_os_wake(_Atomic uint32_t *word)
{
    call6(SYS_futex, (uintptr_t)word, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

void mprt_os_sleep_privately(_Atomic uint32_t *word, uint32_t seen, uint64_t ns)
{
    sleep_on(word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, seen, ns);
}

void mprt_os_wake_one(_Atomic uint32_t *word)
{
    call6(SYS_futex, (uintptr_t)word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 0, 0,
          0);
}

/* -- stacks ---------------------------------------------------------------- */

void mprt_os_call_on(void *top, void (*function)(void *argument),
                     void *argument)
{
    __asm__ volatile(
        "movq %%rsp, %%rbx\n\t"
        "movq %[top], %%rsp\n\t"
        "callq *%[function]\n\t"
        "movq %%rbx, %%rsp"
        : "+D"(argument), [function] "+a"(function), [top] "+d"(top)
        :
        : "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2",
          "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
          "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}
