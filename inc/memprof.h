/* memprof.h -- calls from a program to the heap profiler. The same source
 * compiles and runs without the profiler (no -fmemory-profile): the calls then
 * do nothing.
 *
 *     #include <memprof.h>
 *
 *     memprof_reset();             // discard what was recorded so far
 *     serve_requests();
 *     memprof_dump();              // write a profile of serve_requests()
 *
 * The functions memprof_* are inline and first test whether the runtime is
 * present. The symbols __memprof_* are the runtime's, weak, and NULL without
 * it.
 *
 * Any thread may call these functions at any time, also before main(), in a
 * forked child and from destructors. "Signal-safe" marks functions that a
 * signal handler may call. None changes errno.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MEMPROF_H
#define MEMPROF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Weak in programs; the runtime, which defines them, sets MEMPROF_RUNTIME. */
#ifdef MEMPROF_RUNTIME
#define MEMPROF_API
#else
#define MEMPROF_API __attribute__((weak))
#endif

/* Writes a profile of all blocks since the start or the last reset, ended and
 * alive. A later profile includes an earlier one, and memprofdata counts each
 * block once, whichever of the profiles it reads. With continuous=1 the call
 * updates the one file instead. With dump_delta=1 a profile has only the blocks
 * that ended since the previous one, and the live ones. Returns 0; if the file
 * cannot be written, a message goes to stderr. Takes milliseconds to seconds,
 * depending on the number of call stacks and live blocks; other threads may
 * allocate meanwhile. MEMPROF_OPTIONS and MEMPROF_PROFILE_FILE choose the file.
 * Not signal-safe: in a handler that interrupts an allocation it does nothing.
 */
MEMPROF_API int __memprof_profile_dump(void);

/* Writes a profile and finds leaks: live blocks to which no variable, stack,
 * register or reachable block points. All other threads are stopped meanwhile,
 * for some milliseconds, up to a second per gigabyte. The profile at the
 * program's end then has leaks, too, as with leaks=1. Returns the number of
 * leaked bytes, or -1 if the search failed; a message then goes to stderr once.
 * With sample=N the search fails unless leaks=1. Not signal-safe. */
MEMPROF_API long long __memprof_leaks(void);

/* Discards everything recorded: ended blocks, and the birth times and accesses
 * of live blocks. Profiles written before stay, and add to those that follow;
 * the next profile is a file of its own. Not signal-safe. */
MEMPROF_API void __memprof_profile_reset(void);

/* Starts or stops recording new blocks of all threads. Calls do not nest. A
 * block allocated while stopped is never part of a profile, and is freed like
 * any other. A block that was recorded at its birth is recorded to its end,
 * with its accesses, even if it ends while stopped. realloc() makes a new
 * block. MEMPROF_OPTIONS=start=0 starts the program stopped. Dumps are written
 * in both states; a forked child inherits the state. Signal-safe. */
MEMPROF_API void __memprof_start(void);
MEMPROF_API void __memprof_stop(void);

/* Returns 1 if new blocks are recorded, else 0. Signal-safe. */
MEMPROF_API int __memprof_is_running(void);

/* Begins a phase of this name, which lasts until the next one or a call with
 * NULL, also in a forked child. `memprofdata show --timeline` draws phases. At
 * most 63 bytes of a name and 255 names are kept, and the first 1,024 phases
 * and marks of a process; the profile says how many were dropped. Not
 * signal-safe: in a handler that interrupts an allocation it does nothing. */
MEMPROF_API void __memprof_phase(const char *name);
/* Marks this moment, with the limits of __memprof_phase(). NULL does nothing.
 */
MEMPROF_API void __memprof_mark(const char *name);
/* Names this thread in profiles from now on, for `memprofdata show
 * --by=thread`. Up to 63 bytes of the name are copied. NULL returns to the name
 * set by pthread_setname_np() or prctl(PR_SET_NAME), which applies without this
 * call. Earlier allocations keep the old name; threads of one name count as
 * one. Does nothing without MEMPROF_OPTIONS=per_thread=1. Signal-safe. */
MEMPROF_API void __memprof_thread_name(const char *name);

/* Records an event with a name and a weight in a unit of the program's choice:
 * a cache miss, rows read, microseconds waited. For each name and call stack
 * the profile has the number of events and the sum, smallest and largest
 * weight: `memprofdata show --events`. Up to 63 bytes of the name are copied;
 * NULL does nothing. Up to 3,070 names are kept; further ones count as "other".
 * Nothing is recorded while the profiler is stopped. Takes about as long as
 * malloc(), because it finds the call stack in the same way. Signal-safe, but
 * in a handler that interrupts an allocation it does nothing. */
MEMPROF_API void __memprof_event(const char *name, unsigned long long weight);

/* Records where the block that p points into is accessed, from its birth to its
 * end: `memprofdata show --histogram` prints accesses to each 64 bytes by call
 * stack. NULL, and a pointer to no block, are ignored. A program compiled with
 * -mllvm -memprof-histogram records each 8 bytes of every block without this
 * call. The block that realloc() makes is another one. Up to 256 blocks at a
 * time; after the first call each free() takes some nanoseconds more.
 * Signal-safe. */
MEMPROF_API void __memprof_block_histogram(const void *p);

/* Blocks of the program's own allocator, which divides larger blocks:
 * `memprofdata show --pools` prints their call stacks, sizes in bytes,
 * lifetimes and the live blocks. The larger block counts as usual, so pool
 * blocks do not add to the allocated bytes. Accesses to them are not measured.
 *
 * An address that no other pool uses, for example that of the pool's struct,
 * identifies a pool from create to destroy. Up to 63 bytes of its name are
 * copied; several pools may have one name (NULL: ""). alloc reports a block of
 * size bytes at p, free its end; if a block at p exists already, it ends first.
 * clear ends all blocks of the pool; destroy also ends the pool itself. Unknown
 * pools and blocks are ignored. Blocks that the pool allocates while the
 * profiler is stopped are not recorded. Up to 67 million blocks at a time, each
 * for 48 bytes.
 *
 * Each call takes a lock that all threads share, with signals blocked: two
 * system calls. alloc also finds its call stack, as malloc() does; clear and
 * destroy take time for each block. Signal-safe, but in a handler that
 * interrupts an allocation they do nothing. */
MEMPROF_API void __memprof_pool_create(const void *pool, const char *name);
MEMPROF_API void __memprof_pool_destroy(const void *pool);
MEMPROF_API void __memprof_pool_clear(const void *pool);
MEMPROF_API void __memprof_pool_alloc(const void *pool, const void *p,
                                      unsigned long long size);
MEMPROF_API void __memprof_pool_free(const void *pool, const void *p);

/* A log of every block, as with MEMPROF_OPTIONS=log=, whose bytes go to a
 * function of the program; blocks that begin from memprof_log_start() on.
 * memprofdata reads what the function got, in order, as a file. */
struct memprof_log_options {
    /* Gets `length` bytes of the log in *buffer and returns length; anything
     * else ends the log with MEMPROF_LOG_IO. May set *buffer to another buffer
     * of as many bytes, which the profiler fills next. Never called by two
     * threads at once. Runs in a thread that allocates or frees, or calls
     * memprof_log_stop(); may allocate, wait and fail. While it waits, other
     * threads go on until 4 MiB are pending. If it calls memprof_log_stop(),
     * the log ends when it returns. */
    size_t (*writer)(void **buffer, size_t length, void *ctx);
    /* Called once when the log has ended, however: also if the start fails, if
     * writer fails, and at exit(). Not if a signal, _exit() or exec ends the
     * program, nor in a forked child, which has no such log. Returns 0, or
     * memprof_log_stop() returns MEMPROF_LOG_IO. May be NULL. */
    int (*on_stop)(void *ctx);
    void *ctx;
    /* The first buffer, of at least 16 bytes, or NULL: 64 KiB of the
     * profiler. */
    void *buffer;
    size_t buffer_bytes;
    /* The log ends after this time; 0: does not. What lives then is alive in
     * the log, with unknown accesses. */
    unsigned duration_ms;
    /* How old events get before a thread that allocates or frees passes them
     * on, from 1 ms on; 0: a second. Neither a signal nor a thread of the
     * profiler's is used for it, so while no thread does, events wait. */
    unsigned interval_ms;
};

enum memprof_log_status {
    MEMPROF_LOG_OK,
    MEMPROF_LOG_ARGUMENT,    /* no options or writer, or a too small buffer */
    MEMPROF_LOG_RUNNING,     /* there is a log already */
    MEMPROF_LOG_NOT_RUNNING, /* there is none */
    MEMPROF_LOG_MEMORY,      /* no memory for buffers */
    MEMPROF_LOG_IO,          /* writer or on_stop() failed */
    MEMPROF_LOG_SAMPLING,    /* with accesses=1/N */
    MEMPROF_LOG_ABSENT       /* the program runs without the profiler */
};

/* Begins the log and returns a status. options is copied. */
MEMPROF_API int __memprof_log_start(const struct memprof_log_options *options);
/* Ends the log, also one of MEMPROF_OPTIONS=log=, and returns a status: that of
 * the last log, too, if it ended because writer failed. */
MEMPROF_API int __memprof_log_stop(void);
MEMPROF_API int __memprof_log_is_running(void);
/* The status in words. */
MEMPROF_API const char *__memprof_log_error(int status);

/* Prints statistics of the allocator to stderr, in a few lines. Signal-safe. */
MEMPROF_API void __memprof_print_accumulated_stats(void);

/* The runtime's version, as "1.2.3". */
extern MEMPROF_API const char __memprof_rt_version[];

/* A program may define this function. It returns options; MEMPROF_OPTIONS
 * overrides them. The first allocation calls it once, so it must not allocate.
 */
const char *__memprof_default_options(void);

/* Placed before a function: calls in it get no hint, whatever a profile says.
 * Used by memprof.so with -fprofile-use=. */
#if defined(__clang__)
#define MEMPROF_NO_HINT __attribute__((annotate("memprof_nohint")))
#else
#define MEMPROF_NO_HINT
#endif

#ifndef MEMPROF_RUNTIME
/* -- For programs that may be built without the profiler --------------------
 * (__inline__ is known in all standards, inline is not in C89.) */

/* Marks a function that is never a frame of a call stack, at any optimization
 * level. */
#if defined(__clang__)
#define MEMPROF_NO_FRAME __attribute__((always_inline, nodebug))
#else
#define MEMPROF_NO_FRAME __attribute__((always_inline))
#endif

/* Returns 1 if the program runs under the profiler. */
static __inline__ int memprof_is_present(void)
{
    return __memprof_is_running != 0;
}

static __inline__ int memprof_dump(void)
{
    return __memprof_profile_dump != 0 ? __memprof_profile_dump() : 0;
}

static __inline__ long long memprof_leaks(void)
{
    return __memprof_leaks != 0 ? __memprof_leaks() : 0;
}

static __inline__ void memprof_reset(void)
{
    if (__memprof_profile_reset != 0)
        __memprof_profile_reset();
}

static __inline__ void memprof_start(void)
{
    if (__memprof_start != 0)
        __memprof_start();
}

static __inline__ void memprof_stop(void)
{
    if (__memprof_stop != 0)
        __memprof_stop();
}

static __inline__ void memprof_phase(const char *name)
{
    if (__memprof_phase != 0)
        __memprof_phase(name);
}

static __inline__ void memprof_mark(const char *name)
{
    if (__memprof_mark != 0)
        __memprof_mark(name);
}

static __inline__ int memprof_is_running(void)
{
    return __memprof_is_running != 0 ? __memprof_is_running() : 0;
}

static __inline__ void memprof_thread_name(const char *name)
{
    if (__memprof_thread_name != 0)
        __memprof_thread_name(name);
}

MEMPROF_NO_FRAME static __inline__ void memprof_event(const char *name,
                                                      unsigned long long weight)
{
    if (__memprof_event != 0)
        __memprof_event(name, weight);
}

static __inline__ void memprof_histogram(const void *p)
{
    if (__memprof_block_histogram != 0)
        __memprof_block_histogram(p);
}

static __inline__ void memprof_pool_create(const void *pool, const char *name)
{
    if (__memprof_pool_create != 0)
        __memprof_pool_create(pool, name);
}

static __inline__ void memprof_pool_destroy(const void *pool)
{
    if (__memprof_pool_destroy != 0)
        __memprof_pool_destroy(pool);
}

static __inline__ void memprof_pool_clear(const void *pool)
{
    if (__memprof_pool_clear != 0)
        __memprof_pool_clear(pool);
}

MEMPROF_NO_FRAME static __inline__ void
memprof_pool_alloc(const void *pool, const void *p, unsigned long long size)
{
    if (__memprof_pool_alloc != 0)
        __memprof_pool_alloc(pool, p, size);
}

static __inline__ void memprof_pool_free(const void *pool, const void *p)
{
    if (__memprof_pool_free != 0)
        __memprof_pool_free(pool, p);
}

/* Without the profiler on_stop() is called, as after any failed start. */
static __inline__ int
memprof_log_start(const struct memprof_log_options *options)
{
    if (__memprof_log_start != 0)
        return __memprof_log_start(options);
    if (options != 0 && options->on_stop != 0)
        (void)options->on_stop(options->ctx);
    return MEMPROF_LOG_ABSENT;
}

static __inline__ int memprof_log_stop(void)
{
    return __memprof_log_stop != 0 ? __memprof_log_stop() : MEMPROF_LOG_ABSENT;
}

static __inline__ int memprof_log_is_running(void)
{
    return __memprof_log_is_running != 0 ? __memprof_log_is_running() : 0;
}

static __inline__ const char *memprof_log_error(int status)
{
    return __memprof_log_error != 0 ? __memprof_log_error(status)
                                    : "the program runs without the profiler";
}
#endif

#ifdef __cplusplus
}
#endif

#endif
