/* os.h -- the operating system, as os_*.c know it: system calls only, no
 * libc state; errno is not touched. Safe in signal handlers. What the program
 * has forbidden itself fails (sandbox.h). Files, memory and
 * processes are the caller's to give back.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_OS_H
#define MPRT_OS_H

#include "rt/base/rt.h"

/* Bytes of a path with its NUL. */
#define MPRT_PATH_BYTES 4096
/* Descriptors. */
#define MPRT_OS_STDOUT 1
#define MPRT_OS_STDERR 2

/* -- the start ------------------------------------------------------------- */

/* Finds the vDSO; before it, clocks are system calls. is_static: the program
 * has no dynamic linker. Called once, before the two that follow. */
void mprt_os_init(bool is_static);
/* Value from the auxiliary vector, 0 where it is absent. */
uint64_t mprt_os_auxv(uint64_t type);
/* The end of the first thread's stack, but for arguments and environment. */
uintptr_t mprt_os_stack_end(void);
/* The environment variable's value or NULL; works before libc is ready. */
const char *mprt_os_getenv(const char *name);

/* -- memory ---------------------------------------------------------------- */

/* Zeroed private memory, or NULL. bytes is rounded up to pages. */
void *mprt_os_map(size_t bytes);
/* Address space that cannot be accessed yet, near hint where the system can, or
 * NULL. */
void *mprt_os_reserve(uintptr_t hint, size_t bytes);
/* Makes whole pages of it readable and writable; they are zero until written.
 * The second way makes a stack of them, for the kernel: RLIMIT_DATA does not
 * count those. */
bool mprt_os_open(void *addr, size_t bytes);
bool mprt_os_open_as_stack(void *addr, size_t bytes);
/* madvise() with MADV_*; advice that the kernel does not take is no error. */
void mprt_os_advise(void *addr, size_t bytes, int advice);
/* Gives back what the above gave, or a part of it in whole pages. */
void mprt_os_unmap(void *addr, size_t bytes);
/* Gives the pages of private anonymous memory back; true: all of it reads as
 * zero now. What else may lie there: mprt_os_renew(). */
bool mprt_os_discard(void *addr, size_t bytes);
/* New address space, as of mprt_os_reserve_near(), in place of whatever pages
 * lie there. */
bool mprt_os_renew(void *addr, size_t bytes);
/* Memory and swap of the machine; UINT64_MAX where that is not known. */
uint64_t mprt_os_memory_bytes(void);
size_t mprt_os_page_bytes(void);
/* Parts of [start, end) whose pages are in memory or swapped out, in order, up
 * to count of them: how many, and *next is where to go on. fd: pagemap of this
 * process. -errno where the kernel cannot say. */
struct mprt_os_region {
    uint64_t start;
    uint64_t end;
    uint64_t kinds;
};
int64_t mprt_os_scan_pages(int fd, uintptr_t start, uintptr_t end,
                           struct mprt_os_region *regions, size_t count,
                           uintptr_t *next);
/* True where the word at addr can be read. Costs a system call. */
bool mprt_os_is_readable(uintptr_t addr);
/* RLIMIT_* */
#define MPRT_OS_NO_LIMIT UINT64_MAX
struct mprt_os_limit {
    uint64_t soft;
    uint64_t hard;
};
/* Sets and tells it, where these are not NULL: 0 or -errno. */
int mprt_os_limit(int resource, const struct mprt_os_limit *now,
                  struct mprt_os_limit *before);

/* -- time and place -------------------------------------------------------- */

/* Clocks, in nanoseconds: since 1970; since some moment; the same as of the
 * last tick, and how long a tick is. */
uint64_t mprt_os_realtime_ns(void);
uint64_t mprt_os_monotonic_ns(void);
uint64_t mprt_os_coarse_ns(void);
uint64_t mprt_os_coarse_resolution_ns(void);
/* Reads clocks through the vDSO that is mapped at base. 0: by system calls,
 * because the vDSO reads the time stamp counter, which a thread may be
 * forbidden to read. */
void mprt_os_use_vdso(uintptr_t base);
/* Whether the kernel says that this thread may read that counter. */
bool mprt_os_may_read_counter(void);
/* What all threads of a process have used; 0 where it is not known. */
uint64_t mprt_os_cpu_time_ns(uint32_t pid);

/* The processor that this thread runs on, by a system call. */
uint32_t mprt_os_cpu_slow(void);
/* glibc registers a restartable sequence area for each thread; the kernel keeps
 * the CPU number in its second word, a negative number where it does not. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
/* Where that is, for this thread. */
static inline const volatile int32_t *mprt_os_cpu_word(void)
{
    static const int32_t no_cpu = -1;
    const char *const self = (const char *)__builtin_thread_pointer();

    if (&__rseq_offset == NULL)
        return &no_cpu;
    return (const volatile int32_t *)(const void *)(self + __rseq_offset + 4);
}
/* The processor, where that word is known, or not. */
static inline uint32_t mprt_os_cpu_at(const volatile int32_t *word)
{
    const int32_t id = *word;

    return MPROF_LIKELY(id >= 0) ? (uint32_t)id : mprt_os_cpu_slow();
}
static inline uint32_t mprt_os_cpu(void)
{
    return mprt_os_cpu_at(mprt_os_cpu_word());
}

/* Not predictable, where the kernel gives that. */
uint64_t mprt_os_random(void);

/* -- processes and threads ------------------------------------------------- */

/* Numbers of this process and this thread, in their namespace. */
uint32_t mprt_os_pid(void);
uint32_t mprt_os_tid(void);
/* Of the process that made this one; another one's when that has ended. */
uint32_t mprt_os_parent_pid(void);
/* The kernel's name of this thread; up to 15 bytes and zeros. */
#define MPRT_THREADNAME_BYTES 16
void mprt_os_thread_name(char name[MPRT_THREADNAME_BYTES]);
/* Lets other threads run. */
void mprt_os_yield(void);

/* Ends the process, all threads, without handlers. */
_Noreturn void mprt_os_exit(int status);
/* A process that shares this one's memory and directories, no descriptors after
 * it called mprt_os_close_all(), and no thread group: wait() does not see it.
 * *tid is its id until it ends, then 0, with a wake. It runs function(), which
 * must not return. All signals are blocked in it that are here. Its id or
 * -errno. */
int mprt_os_spawn(void *stack_top, void *tls, _Atomic uint32_t *tid,
                  void (*function)(void));
/* The signal that this process gets when its parent, or the parent's thread
 * that made it, ends. */
void mprt_os_at_parent_death(int number);
/* As ps shows it, up to 15 bytes. */
void mprt_os_name_process(const char *name);
void mprt_os_kill(uint32_t pid, int number);
/* Waits for the end of a process of mprt_os_spawn(). */
void mprt_os_reap(uint32_t pid);

/* Calls function(argument) on another stack, which grows down from top. */
void mprt_os_call_on(void *top, void (*function)(void *argument),
                     void *argument);

/* -- looking at threads; 0 or -errno, but as said -------------------------- */

/* A thread of another process than ours is to be traced by this one, and to
 * stop: it does so without a signal. */
int mprt_os_trace(uint32_t tid);
/* What became of it; *signal: what it was about to be told when it stopped, to
 * be given to mprt_os_trace_end(), or 0. */
enum mprt_os_traced {
    MPRT_OS_TRACED_RUNS,
    MPRT_OS_TRACED_STANDS,
    MPRT_OS_TRACED_ENDED
};
enum mprt_os_traced mprt_os_trace_look(uint32_t tid, int *signal);
/* Its registers, as struct user_regs_struct, and the processor's others, as
 * many bytes as there is room for: how many, or -errno. */
int64_t mprt_os_trace_registers(uint32_t tid, void *out, size_t size);
int64_t mprt_os_trace_more_registers(uint32_t tid, void *out, size_t size);
/* It goes on. */
void mprt_os_trace_end(uint32_t tid, int signal);
/* Lets that process trace this one, 0: none; where Linux asks for that. */
void mprt_os_let_trace(uint32_t pid);
/* The next entries of a directory, as getdents64() has them: bytes, or -errno.
 */
int64_t mprt_os_read_dir(int fd, void *data, size_t n);

/* -- sleeping -------------------------------------------------------------- */

/* Sleeps while *word is seen, at most so long (UINT64_MAX: without end), or
 * until a signal; wakes all who do. Across processes that share memory. */
void mprt_os_sleep_on(_Atomic uint32_t *word, uint32_t seen, uint64_t ns);
void mprt_os_wake(_Atomic uint32_t *word);
/* The same for threads of one process, which is cheaper; wakes one of them. */
void mprt_os_sleep_privately(_Atomic uint32_t *word, uint32_t seen,
                             uint64_t ns);
void mprt_os_wake_one(_Atomic uint32_t *word);

/* -- signals --------------------------------------------------------------- */

/* A signal's bit in a set of signals. */
static inline uint64_t mprt_os_signal_bit(int number)
{
    return UINT64_C(1) << (number - 1);
}
/* Keeps this thread's signals away; gives what to restore. */
uint64_t mprt_os_block_signals(void);
/* The same but for those that a fault of this thread raises: they come. */
uint64_t mprt_os_block_other_signals(void);
/* Takes what these gave. */
void mprt_os_restore_signals(uint64_t before);
/* Blocks or unblocks these too; what was blocked before. */
uint64_t mprt_os_change_signals(bool blocks, uint64_t signals);
/* Sends this thread a signal, with the siginfo_t of another where the program's
 * rules let that. */
bool mprt_os_raise(int number, void *siginfo);
/* Gives a signal its default action. */
bool mprt_os_set_default(int number);
/* sigaltstack(); stack_t, both may be NULL. */
int mprt_os_signal_stack(const void *stack, void *before);
/* Sets a handler without libc, and lets nothing through but these signals. */
void mprt_os_handle(int number, void (*handler)(int number));
static inline void mprt_os_unblock_only(uint64_t signals)
{
    mprt_os_restore_signals(~signals);
}

/* -- files; they return a descriptor or a count, or -errno ----------------- */

int mprt_os_open_read(const char *path);
/* Fails with -EEXIST where there is something. */
int mprt_os_create_exclusive(const char *path, unsigned mode);
/* A file in a directory that has no name and is gone with its descriptor, and
 * to give it one. */
int mprt_os_create_unnamed(const char *dir, unsigned mode);
int mprt_os_name_file(int fd, const char *path);
int mprt_os_close(int fd);
/* Up to n bytes; retries where a signal interrupts. */
int64_t mprt_os_read(int fd, void *data, size_t n);
int64_t mprt_os_read_at(int fd, void *data, size_t n, uint64_t offset);
/* All n bytes, retrying; 0 or -errno. */
int mprt_os_write_all(int fd, const void *data, size_t n);
/* From now on this thread's writes fail with -EAGAIN where a pipe, a terminal
 * or the like takes nothing for so long; 0: they wait for ever. */
void mprt_os_set_write_patience(int milliseconds);
/* Until it is unlocked, no other process that asks for it writes to a pipe or
 * socket in between. False where it is neither, does not take a lock, or
 * another process keeps it for too long; then there is nothing to unlock. */
bool mprt_os_lock_stream(int fd);
void mprt_os_unlock_stream(int fd);
/* Fails with -EEXIST where `to` exists: never overwrites. */
int mprt_os_rename_exclusive(const char *from, const char *to);
/* Takes the place of `to`. */
int mprt_os_rename_over(const char *from, const char *to);
int mprt_os_unlink(const char *path);
int mprt_os_truncate(const char *path, uint64_t bytes);
int mprt_os_mkdir(const char *path, unsigned mode);
/* Without a NUL; cut at size. */
int64_t mprt_os_readlink(const char *path, char *out, size_t size);
/* False where the working directory has no path: it is removed, or outside of
 * the root. */
bool mprt_os_getcwd(char *out, size_t size);
/* Opens what is there and no regular file, for writing: a descriptor, -errno,
 * or -ENOENT where there is no such thing. A FIFO without a reader is an error,
 * because the program would wait for ever. */
int mprt_os_open_special(const char *path);
/* Closes all descriptors. */
void mprt_os_close_all(void);

#endif
