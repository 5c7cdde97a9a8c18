/* os.h -- the operating system; os_*.c define these functions for Linux. They
 * make system calls only, use no state of libc and leave errno alone. Safe in
 * signal handlers. A system call that the program has forbidden itself fails
 * (sandbox.h). The caller gives back files, memory and processes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Bytes of a path with its terminator. */
#define MPRT_PATH_BYTES 4096
/* File descriptors. */
#define MPRT_OS_STDOUT 1
#define MPRT_OS_STDERR 2

/* -- start ----------------------------------------------------------------- */

/* Finds the first stack and the vDSO; before, clocks are system calls.
 * is_static: the program has no dynamic linker. Call it once, before
 * mprt_os_auxv() and mprt_os_getenv(). */
void mprt_os_init(bool is_static);
/* Value of an entry of the auxiliary vector, or 0 if there is no such entry. */
uint64_t mprt_os_auxv(uint64_t type);
/* End of the first thread's stack; arguments and environment lie above it. */
uintptr_t mprt_os_stack_end(void);
/* Value of the environment variable, or NULL. Works before libc is ready. */
const char *mprt_os_getenv(const char *name);

/* -- memory ---------------------------------------------------------------- */

/* Maps zeroed private memory. bytes is rounded up to pages. Returns NULL
 * without memory. */
void *mprt_os_map(size_t bytes);
/* Reserves address space without access, near hint if the system can. Returns
 * NULL without address space. */
void *mprt_os_reserve(uintptr_t hint, size_t bytes);
/* Makes whole pages of reserved address space readable and writable; they read
 * as zero. The second function marks them as a stack, which the kernel does not
 * count for RLIMIT_DATA. */
bool mprt_os_open(void *addr, size_t bytes);
bool mprt_os_open_as_stack(void *addr, size_t bytes);
/* madvise() with MADV_*. Ignores the errors of advice that the kernel does not
 * take. */
void mprt_os_advise(void *addr, size_t bytes, int advice);
/* Gives mapped or reserved memory back, all of it or whole pages of it. */
void mprt_os_unmap(void *addr, size_t bytes);
/* Gives the pages of private anonymous memory back to the system. True: the
 * memory reads as zero now. For other kinds of memory: mprt_os_renew(). */
bool mprt_os_discard(void *addr, size_t bytes);
/* Replaces whatever pages lie at addr by new zero pages, readable and writable.
 */
bool mprt_os_renew(void *addr, size_t bytes);
/* Bytes of memory and swap of the machine, or UINT64_MAX if unknown. */
uint64_t mprt_os_memory_bytes(void);
size_t mprt_os_page_bytes(void);
/* Finds the parts of [start, end) whose pages are in memory or swapped out, in
 * ascending order. Fills in at most count regions and returns how many; *next
 * is the address to continue from. fd: pagemap of this process. Returns -errno
 * if the kernel cannot tell. */
struct mprt_os_region {
    uint64_t start;
    uint64_t end;
    uint64_t kinds;
};
int64_t mprt_os_scan_pages(int fd, uintptr_t start, uintptr_t end,
                           struct mprt_os_region *regions, size_t count,
                           uintptr_t *next);
/* Stores for each of the whole pages at addr whether it is in memory, in the
 * lowest bit of a byte. False if some are not mapped. */
bool mprt_os_are_resident(uintptr_t addr, size_t bytes, unsigned char *pages);
/* Whether the word at addr can be read. Costs a system call. */
bool mprt_os_is_readable(uintptr_t addr);
/* The same of all bytes; false for none. If a sandbox keeps us from asking the
 * kernel, the program's address is trusted. */
bool mprt_os_are_readable(const void *data, size_t bytes);
bool mprt_os_is_root(void);
/* A resource limit (RLIMIT_*). */
#define MPRT_OS_NO_LIMIT UINT64_MAX
struct mprt_os_limit {
    uint64_t soft;
    uint64_t hard;
};
/* Sets the limit to *now and stores the old one in *before; each may be NULL.
 * Returns 0 or -errno. */
int mprt_os_limit(int resource, const struct mprt_os_limit *now,
                  struct mprt_os_limit *before);

/* -- time, processor, random numbers --------------------------------------- */

/* Clocks, in nanoseconds: since 1970; monotonic; monotonic as of the last timer
 * tick; and the length of such a tick. */
uint64_t mprt_os_realtime_ns(void);
uint64_t mprt_os_monotonic_ns(void);
uint64_t mprt_os_coarse_ns(void);
uint64_t mprt_os_coarse_resolution_ns(void);
/* Reads clocks through the vDSO that is mapped at base. With base 0, clocks are
 * system calls: the vDSO reads the time stamp counter, which a thread may be
 * forbidden to read. */
void mprt_os_use_vdso(uintptr_t base);
/* Whether the kernel allows this thread to read the time stamp counter. */
bool mprt_os_may_read_counter(void);
/* CPU time of all threads of a process, or 0 if unknown. */
uint64_t mprt_os_cpu_time_ns(uint32_t pid);

/* The processor that this thread runs on, asked by a system call. */
uint32_t mprt_os_cpu_slow(void);
/* glibc registers a restartable sequence area for each thread. The kernel keeps
 * the processor's number in the second word of the area; without registration
 * the word is negative. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
/* Address of this thread's word with the processor's number. */
static inline const volatile int32_t *mprt_os_cpu_word(void)
{
    static const int32_t no_cpu = -1;
    const char *const self = (const char *)__builtin_thread_pointer();

    if (&__rseq_offset == NULL)
        return &no_cpu;
    return (const volatile int32_t *)(const void *)(self + __rseq_offset + 4);
}
/* The processor's number from that word, or by a system call if the word is
 * negative. */
static inline uint32_t mprt_os_cpu_at(const volatile int32_t *word)
{
    const int32_t id = *word;

    return MPROF_LIKELY(id >= 0) ? (uint32_t)id : mprt_os_cpu_slow();
}
static inline uint32_t mprt_os_cpu(void)
{
    return mprt_os_cpu_at(mprt_os_cpu_word());
}

/* A random number; the kernel's where available, else one made of time and
 * process id. */
uint64_t mprt_os_random(void);

/* -- processes and threads ------------------------------------------------- */

/* Ids of this process and this thread, in their namespace. */
uint32_t mprt_os_pid(void);
uint32_t mprt_os_tid(void);
/* Id of the parent process; of the process that adopted this one if the parent
 * has ended. */
uint32_t mprt_os_parent_pid(void);
/* Copies the kernel's name of this thread: up to 15 bytes, padded with zeros.
 */
#define MPRT_THREADNAME_BYTES 16
void mprt_os_thread_name(char name[MPRT_THREADNAME_BYTES]);
/* Lets other threads run. */
void mprt_os_yield(void);

/* Ends the process and all its threads without running handlers. */
_Noreturn void mprt_os_exit(int status);
/* Starts a process that runs function(), which must not return. The process
 * shares this one's memory and working directory, has a copy of the descriptors
 * (mprt_os_close_all() closes them) and of the signal mask, and sends no signal
 * at its end, so that the program's wait() does not see it. *tid holds its id
 * until it ends, then 0; the kernel then wakes threads that sleep on *tid.
 * Returns the id or -errno. */
int mprt_os_spawn(void *stack_top, void *tls, _Atomic uint32_t *tid,
                  void (*function)(void));
/* Chooses the signal that this process gets when the thread that started it, or
 * its parent process, ends. */
void mprt_os_at_parent_death(int number);
/* Sets the name that ps shows, up to 15 bytes. */
void mprt_os_name_process(const char *name);
void mprt_os_kill(uint32_t pid, int number);
/* Waits for the end of a process that mprt_os_spawn() started. */
void mprt_os_reap(uint32_t pid);

/* Calls function(argument) on another stack, which grows down from top. */
void mprt_os_call_on(void *top, void (*function)(void *argument),
                     void *argument);

/* -- tracing threads; functions return 0 or -errno unless they say more ---- */

/* Traces a thread of another process and asks it to stop; the thread gets no
 * signal for that. */
int mprt_os_trace(uint32_t tid);
/* State of a traced thread. *signal: the signal that was being delivered when
 * the thread stopped, to be passed to mprt_os_trace_end(), or 0. */
enum mprt_os_traced {
    MPRT_OS_TRACED_RUNS,
    MPRT_OS_TRACED_STANDS,
    MPRT_OS_TRACED_ENDED
};
enum mprt_os_traced mprt_os_trace_look(uint32_t tid, int *signal);
/* Copies the thread's general registers (struct user_regs_struct), or the
 * extended ones (the processor's XSAVE area), as far as size allows. Returns
 * the number of bytes or -errno. */
int64_t mprt_os_trace_registers(uint32_t tid, void *out, size_t size);
int64_t mprt_os_trace_more_registers(uint32_t tid, void *out, size_t size);
/* Ends tracing; the thread continues and gets the signal unless it is 0. */
void mprt_os_trace_end(uint32_t tid, int signal);
/* Allows process pid to trace this one, for systems that restrict tracing; 0:
 * none. */
void mprt_os_let_trace(uint32_t pid);
/* Whether the name of an entry of /proc is a number. */
bool mprt_os_is_number(const char *name, uint32_t *number);
/* Visits the entries of a directory whose names are numbers, until `visit`
 * returns false. */
void mprt_os_visit_numbers(int dir,
                           bool (*visit)(void *context, uint32_t number),
                           void *context);

/* -- sleeping -------------------------------------------------------------- */

/* Sleeps while *word equals seen, for ns nanoseconds at most (UINT64_MAX: no
 * limit) or until a signal. mprt_os_wake() wakes all sleepers. Works between
 * processes that share the memory. */
void mprt_os_sleep_on(_Atomic uint32_t *word, uint32_t seen, uint64_t ns);
void mprt_os_wake(_Atomic uint32_t *word);
/* The same among the threads of one process, which costs less. Wakes one
 * sleeper. */
void mprt_os_sleep_privately(_Atomic uint32_t *word, uint32_t seen,
                             uint64_t ns);
void mprt_os_wake_one(_Atomic uint32_t *word);

/* -- signals --------------------------------------------------------------- */

/* The bit of a signal in a signal mask. */
static inline uint64_t mprt_os_signal_bit(int number)
{
    return UINT64_C(1) << (number - 1);
}
/* Blocks all signals of this thread. Returns the mask to restore. */
uint64_t mprt_os_block_signals(void);
/* Blocks all signals but those that faults of this thread raise. Returns the
 * mask to restore. */
uint64_t mprt_os_block_other_signals(void);
/* Restores a mask that one of these functions returned. */
void mprt_os_restore_signals(uint64_t before);
/* Blocks or unblocks these signals. Returns the mask before. */
uint64_t mprt_os_change_signals(bool blocks, uint64_t signals);
/* Sends this thread a signal with this siginfo_t, or without it if the
 * program's sandbox does not allow that. */
bool mprt_os_raise(int number, void *siginfo);
/* Gives the signal its default action. False if the sandbox does not allow
 * that. */
bool mprt_os_set_default(int number);
/* sigaltstack(). Both point to stack_t and may be NULL. */
int mprt_os_signal_stack(const void *stack, void *before);
/* Sets a handler without libc. mprt_os_unblock_only() then blocks all other
 * signals. */
void mprt_os_handle(int number, void (*handler)(int number));
static inline void mprt_os_unblock_only(uint64_t signals)
{
    mprt_os_restore_signals(~signals);
}

/* -- files; functions return a descriptor or a count, or -errno ------------ */

int mprt_os_open_read(const char *path);
/* Fails with -EEXIST if the path exists. */
int mprt_os_create_exclusive(const char *path, unsigned mode);
/* Makes a file without a name in a directory; the file vanishes with its
 * descriptor unless mprt_os_name_file() gives it a name. */
int mprt_os_create_unnamed(const char *dir, unsigned mode);
int mprt_os_name_file(int fd, const char *path);
int mprt_os_close(int fd);
/* False if the program has as many files open as it may. */
bool mprt_os_can_open(void);
/* Moves a file that stays open to a descriptor that few programs get to.
 * Returns fd itself if fd is an error or the limit is too low. */
int mprt_os_move_high(int fd);
/* Opens an existing file for writing and returns a high descriptor. */
int mprt_os_open_high(const char *path);
/* Opens a file for writing at its end. Returns a descriptor or -errno. */
int mprt_os_open_append(const char *path);
/* Makes each write to the file go to its end. */
void mprt_os_make_appending(int fd);
/* A second descriptor of an open file. */
int mprt_os_dup(int fd);
/* A number that tells files apart; 0 if fd is not open. */
uint64_t mprt_os_file_identity(int fd);
/* Removes the file's contents. */
int mprt_os_empty(int fd);
/* Read up to n bytes, retrying after a signal. */
int64_t mprt_os_read(int fd, void *data, size_t n);
int64_t mprt_os_read_at(int fd, void *data, size_t n, uint64_t offset);
/* Writes all n bytes, retrying after a signal. Returns 0 or -errno. */
int mprt_os_write_all(int fd, const void *data, size_t n);
/* Limits how long a write of this thread waits for a pipe, terminal or socket
 * that takes nothing; then the write fails with -EAGAIN. 0: no limit. */
void mprt_os_set_write_patience(int milliseconds);
/* Whether the descriptor is a pipe or a socket. */
bool mprt_os_is_stream(int fd);
/* Locks a pipe or socket, so that no other process that locks it writes in
 * between. False if fd is neither, does not support locks, or stays locked by
 * another process for too long; nothing must be unlocked then. */
bool mprt_os_lock_stream(int fd);
void mprt_os_unlock_stream(int fd);
/* Renames; fails with -EEXIST if `to` exists. */
int mprt_os_rename_exclusive(const char *from, const char *to);
/* Renames, replacing `to`. */
int mprt_os_rename_over(const char *from, const char *to);
int mprt_os_unlink(const char *path);
int mprt_os_truncate(const char *path, uint64_t bytes);
int mprt_os_mkdir(const char *path, unsigned mode);
/* Stores the target without a terminator, cut at size. Returns its length or
 * -errno. */
int64_t mprt_os_readlink(const char *path, char *out, size_t size);
/* False if the working directory has no path because it was removed or lies
 * outside of the root directory. */
bool mprt_os_getcwd(char *out, size_t size);
/* Opens an existing path that is not a regular file, for writing. Returns a
 * descriptor, -errno, or -ENOENT if nothing is there or it is a regular file. A
 * FIFO without a reader is an error, because opening it would block the
 * program. */
int mprt_os_open_special(const char *path);
/* Closes all descriptors but one; kept: -1 for none. */
void mprt_os_close_all(int kept);
/* What stands at a path, and in *identity a number that tells it from others; 0
 * if nothing is there. Links are followed to directories only. */
enum mprt_os_place {
    MPRT_OS_PLACE_FREE,
    MPRT_OS_PLACE_SOCKET,
    MPRT_OS_PLACE_DIRECTORY,
    MPRT_OS_PLACE_OTHER
};
enum mprt_os_place mprt_os_place(const char *path, uint64_t *identity);

/* -- sockets with a name in the file system --------------------------------
 * Functions return a descriptor or a count, or -errno. Only the first one
 * waits; the others fail with -EAGAIN instead. */

/* Connects to the socket at this path. */
int mprt_os_connect(const char *path);
/* Makes a socket at a free path, for its owner only, and listens there. */
int mprt_os_listen(const char *path, unsigned backlog);
/* Whether a process listens at this path, as far as this one may know. */
bool mprt_os_is_served(const char *path);
int mprt_os_accept(int fd);
/* Whether the other end is a process of root or of this process's user. */
bool mprt_os_peer_may(int fd);
int64_t mprt_os_receive(int fd, void *data, size_t n);
/* Raises no signal if the other end is closed. */
int64_t mprt_os_send(int fd, const void *data, size_t n);
/* Waits at most ns nanoseconds for events (POLL*), or for a signal that is not
 * in the mask `blocked`, which replaces this thread's mask meanwhile. */
struct mprt_os_poll {
    int32_t fd; /* negative: ignored */
    int16_t events;
    int16_t seen;
};
#define MPRT_OS_CAN_READ 1
#define MPRT_OS_CAN_WRITE 4
void mprt_os_poll(struct mprt_os_poll *places, size_t count, uint64_t ns,
                  uint64_t blocked);
