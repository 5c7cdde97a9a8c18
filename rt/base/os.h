/* os.h -- the operating system, as os_linux.c knows it: system calls only, no
 * libc state; errno is not touched. Safe in signal handlers. Files, memory and
 * processes are the caller's to give back.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_OS_H
#define MPRT_OS_H

#include "rt/base/rt.h"

/* Bytes of a path with its NUL. */
#define MPRT_PATH_BYTES 4096

/* Zeroed private memory, or NULL. bytes is rounded up to pages. */
void *mprt_os_map(size_t bytes);
/* Address space without reservation, readable and writable, zero until written;
 * left out of core dumps; NULL on failure. */
void *mprt_os_reserve(size_t bytes);
/* The same, near hint where the system can, in core dumps too. */
void *mprt_os_reserve_near(uintptr_t hint, size_t bytes);
/* madvise() with MADV_*; advice that the kernel does not take is no error. */
void mprt_os_advise(void *addr, size_t bytes, int advice);
void mprt_os_unmap(void *addr, size_t bytes);
/* Gives the pages back; they read as zero afterwards. */
void mprt_os_discard(void *addr, size_t bytes);
uint64_t mprt_os_realtime_ns(void);
uint64_t mprt_os_monotonic_ns(void);
uint64_t mprt_os_coarse_ns(void);
uint64_t mprt_os_coarse_resolution_ns(void);
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
static inline uint32_t mprt_os_cpu_at(const volatile int32_t *word)
{
    const int32_t id = *word;

    return MPROF_LIKELY(id >= 0) ? (uint32_t)id : mprt_os_cpu_slow();
}
static inline uint32_t mprt_os_cpu(void)
{
    return mprt_os_cpu_at(mprt_os_cpu_word());
}
uint32_t mprt_os_pid(void);
uint32_t mprt_os_tid(void);
/* The kernel's name of this thread; up to 15 bytes and zeros. */
#define MPRT_THREADNAME_BYTES 16
void mprt_os_thread_name(char name[MPRT_THREADNAME_BYTES]);
void mprt_os_yield(void);
uint64_t mprt_os_random(void);
size_t mprt_os_page_bytes(void);
/* True where the word at addr can be read. Costs a system call. */
bool mprt_os_is_readable(uintptr_t addr);
/* Keeps this thread's signals away; gives what to restore. */
uint64_t mprt_os_block_signals(void);
/* The same but for those that a fault of this thread raises: they come. */
uint64_t mprt_os_block_other_signals(void);
void mprt_os_restore_signals(uint64_t before);
/* Blocks or unblocks these too; what was blocked before. */
uint64_t mprt_os_change_signals(bool blocks, uint64_t signals);
/* Sends this thread a signal with the siginfo_t of another. */
void mprt_os_raise(int number, void *siginfo);
/* sigaltstack(); stack_t, both may be NULL. */
int mprt_os_signal_stack(const void *stack, void *before);
/* Finds the vDSO; before it, clocks are system calls. is_static: the program
 * has no dynamic linker. Called once, before mprt_os_getenv() and
 * mprt_os_auxv(). */
void mprt_os_init(bool is_static);
/* File calls return a descriptor or count, or -errno. */
int mprt_os_open_read(const char *path);
int mprt_os_create_exclusive(const char *path, unsigned mode);
/* A file in a directory that has no name and is gone with its descriptor, and
 * to give it one. */
int mprt_os_create_unnamed(const char *dir, unsigned mode);
int mprt_os_name_file(int fd, const char *path);
int mprt_os_close(int fd);
int64_t mprt_os_read(int fd, void *data, size_t n);
int64_t mprt_os_read_at(int fd, void *data, size_t n, uint64_t offset);
/* All n bytes, retrying; 0 or -errno. */
int mprt_os_write_all(int fd, const void *data, size_t n);
/* Fails with -EEXIST where `to` exists: never overwrites. */
int mprt_os_rename_exclusive(const char *from, const char *to);
int mprt_os_rename_over(const char *from, const char *to);
int mprt_os_unlink(const char *path);
int mprt_os_truncate(const char *path, uint64_t bytes);
/* Calls function(argument) on another stack, which grows down from top. */
void mprt_os_call_on(void *top, void (*function)(void *argument),
                     void *argument);
int mprt_os_mkdir(const char *path, unsigned mode);
int64_t mprt_os_readlink(const char *path, char *out, size_t size);
_Noreturn void mprt_os_exit(int status);
/* Opens what is there and no regular file, for writing: a descriptor, -errno,
 * or -ENOENT where there is no such thing. A FIFO without a reader is an error,
 * because the program would wait for ever. */
int mprt_os_open_special(const char *path);
/* A process that shares this one's memory and directories, no descriptors after
 * it called mprt_os_close_all(), and no thread group: wait() does not see it.
 * *tid is its id until it ends, then 0, with a wake. It runs function(), which
 * must not return. All signals are blocked in it that are here. Its id or
 * -errno. */
int mprt_os_spawn(void *stack_top, void *tls, _Atomic uint32_t *tid,
                  void (*function)(void));
uint32_t mprt_os_parent_pid(void);
/* What all threads of a process have used; 0 where it is not known. */
uint64_t mprt_os_cpu_time_ns(uint32_t pid);
void mprt_os_close_all(void);
/* The signal that this process gets when its parent, or the parent's thread
 * that made it, ends. */
void mprt_os_at_parent_death(int number);
void mprt_os_name_process(const char *name);
void mprt_os_kill(uint32_t pid, int number);
/* Waits for the end of a process of mprt_os_spawn(). */
void mprt_os_reap(uint32_t pid);
/* Sets a handler without libc, and lets nothing through but these signals. */
void mprt_os_handle(int number, void (*handler)(int number));
void mprt_os_unblock_only(uint64_t signals);
/* Sleeps while *word is seen, at most so long (UINT64_MAX: without end), or
 * until a signal; wakes all who do. Across processes that share memory. */
void mprt_os_sleep_on(_Atomic uint32_t *word, uint32_t seen, uint64_t ns);
void mprt_os_wake(_Atomic uint32_t *word);
/* The same for threads of one process, which is cheaper; wakes one of them. */
void mprt_os_sleep_privately(_Atomic uint32_t *word, uint32_t seen,
                             uint64_t ns);
void mprt_os_wake_one(_Atomic uint32_t *word);
/* The machine's name into out[0..size), "" where unknown. */
void mprt_os_host_name(char *out, size_t size);
/* Value from the auxiliary vector, 0 where it is absent. */
uint64_t mprt_os_auxv(uint64_t type);
/* The environment variable's value or NULL; works before libc is ready. */
const char *mprt_os_getenv(const char *name);

#endif
