/* memprof.h -- what a program may say to the heap profiler that it is built
 * with. A program that is built without one (no -fmemory-profile) compiles and
 * runs with the same source: the calls then do nothing.
 *
 *     #include <memprof.h>
 *
 *     memprof_reset();             // what came before does not count
 *     serve_requests();
 *     memprof_dump();              // a profile of what was in between
 *
 * The functions named memprof_* are inline and ask first whether the runtime is
 * there; the symbols __memprof_* are the runtime's own, weak, NULL without it.
 *
 * All may be called by any thread at any time, also before main(), in a forked
 * child and from destructors. "Signal-safe" says of each whether a signal
 * handler may call it. None changes errno.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MEMPROF_H
#define MEMPROF_H

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
 * alive: a later one holds what an earlier one does, and memprofdata counts
 * each block once, whichever of them it is given. With continuous=1, brings the
 * one file up to date instead; with dump_delta=1, of the ended blocks only
 * those since the last one are in it. Returns 0, also
 * where the file could not be written, which is said on stderr. Takes
 * milliseconds to seconds, by the number of call stacks and of live blocks;
 * other threads may allocate meanwhile. Where the file goes: MEMPROF_OPTIONS
 * and MEMPROF_PROFILE_FILE. Not signal-safe: in a handler that interrupts an
 * allocation it does nothing. */
MEMPROF_API int __memprof_profile_dump(void);

/* The same, and finds what leaked: the blocks that are alive and that nothing
 * in the program points to, no variable, stack, register or block that can be
 * reached. All other threads stand meanwhile, for some milliseconds, up to a
 * second per gigabyte. From then on the profile of the program's end says what
 * leaked too, as with leaks=1. Returns how many bytes did, or -1 where that
 * could not be found out, which is said on stderr once. Not signal-safe. */
MEMPROF_API long long __memprof_leaks(void);

/* Forgets all that was recorded: ended blocks, and of those that are alive when
 * they were born and how often they were accessed. What was written stays, and
 * counts beside what follows; the next profile begins a file of its own. Not
 * signal-safe. */
MEMPROF_API void __memprof_profile_reset(void);

/* From here on, new blocks of all threads are recorded (start) or not (stop).
 * Starting twice is starting once. A block that is allocated while stopped is
 * never part of a profile, whenever it ends, and is freed like any other; one
 * that was recorded at its birth is recorded to its end, with its accesses,
 * also where it ends while stopped. A block that realloc() gives is a new one.
 * MEMPROF_OPTIONS=start=0 begins stopped. Dumps are written either way; a
 * forked child goes on as its parent. Signal-safe. */
MEMPROF_API void __memprof_start(void);
MEMPROF_API void __memprof_stop(void);

/* 1 where new blocks are recorded, 0 where not. Signal-safe. */
MEMPROF_API int __memprof_is_running(void);

/* From here on the program is in the phase of this name, until another one
 * begins or this is called with NULL; in a forked child, too. memprofdata show
 * --timeline draws phases. At most 63 bytes of a name are kept, 255 names, and
 * of phases and marks together the first 1,024 of a process; how many there
 * were beyond that is in the profile. Not signal-safe: in a handler that
 * interrupts an allocation it does nothing. */
MEMPROF_API void __memprof_phase(const char *name);
/* Marks this moment. Likewise; with NULL it does nothing. */
MEMPROF_API void __memprof_mark(const char *name);
/* What this thread is called in profiles from now on, for `memprofdata show
 * --by=thread`; as much of the name as fits 63 bytes is copied. NULL: again
 * what pthread_setname_np() or prctl(PR_SET_NAME) called it last, which needs
 * no call of this function. What it allocated before stays under the old name;
 * threads of one name count as one. Without MEMPROF_OPTIONS=per_thread=1
 * nothing is told apart, and this does nothing. Signal-safe. */
MEMPROF_API void __memprof_thread_name(const char *name);

/* Something of this name happened here, and weighs this much, in whatever unit
 * the program means: a cache miss, rows read, microseconds waited. The profile
 * has, of each name and call stack, how often that was, the sum of the weights,
 * the smallest and the largest: `memprofdata show --events`. As much of the
 * name as fits 63 bytes is copied; NULL does nothing. Up to 3,070 names; what
 * has others counts as of the name "other". Not recorded while the profiler is
 * stopped. Takes as long as malloc(), of which it has the call stack. Any
 * thread; signal-safe, but in a handler that interrupts an allocation it does
 * nothing. */
MEMPROF_API void __memprof_event(const char *name, unsigned long long weight);

/* The profile is to have where the block that p points into was accessed from
 * its birth to its end: `memprofdata show --histogram` has it by call stack,
 * for each 64 bytes. What is NULL or no block is ignored. A program that is
 * compiled with -mllvm -memprof-histogram has that of every block, for each 8
 * bytes, and needs no call. The block that realloc() makes of it is another
 * one. Up to 256 blocks at a time; from the first call on, each free() takes
 * some nanoseconds more. Any thread; signal-safe. */
MEMPROF_API void __memprof_block_histogram(const void *p);

/* Blocks of an allocator of the program's own, which it cuts out of larger
 * ones: `memprofdata show --pools` has their call stacks, sizes in bytes and
 * lifetimes, and what lives. The block that they are a part of counts as ever,
 * so they add nothing to what was allocated. How often they were accessed is
 * not measured.
 *
 * A pool is known by an address that no other pool has, for example that of its
 * own struct, from create to destroy; name is what it is called in profiles, up
 * to 63 bytes, which are copied, and several may have one name (NULL: "").
 * clear ends all of its blocks, destroy the pool too. alloc says that a block
 * of size bytes at p is given out, free that it is no more; a block at p that
 * is there already ends first. What is said of pools and blocks that are not
 * there is ignored. Blocks that were given out while the profiler was stopped
 * are not recorded. Up to 67 million blocks at a time, each for 48 bytes.
 *
 * Each takes a lock of all threads, with signals blocked: two system calls.
 * alloc finds its call stack besides, as malloc() does; clear and destroy take
 * time for each block. Any thread; signal-safe, but in a handler that
 * interrupts an allocation they do nothing. */
MEMPROF_API void __memprof_pool_create(const void *pool, const char *name);
MEMPROF_API void __memprof_pool_destroy(const void *pool);
MEMPROF_API void __memprof_pool_clear(const void *pool);
MEMPROF_API void __memprof_pool_alloc(const void *pool, const void *p,
                                      unsigned long long size);
MEMPROF_API void __memprof_pool_free(const void *pool, const void *p);

/* Prints what the allocator holds, in a few lines, to stderr. Signal-safe. */
MEMPROF_API void __memprof_print_accumulated_stats(void);

/* The runtime's version, as "1.2.3". */
extern MEMPROF_API const char __memprof_rt_version[];

/* For the program to define: options, as in MEMPROF_OPTIONS, which has the last
 * word. Called once, by the first allocation: it must not allocate. */
const char *__memprof_default_options(void);

/* In front of a function: what it allocates gets no hint, whatever a profile
 * says. For memprof.so and -fprofile-use=; else it means nothing. */
#if defined(__clang__)
#define MEMPROF_NO_HINT __attribute__((annotate("memprof_nohint")))
#else
#define MEMPROF_NO_HINT
#endif

#ifndef MEMPROF_RUNTIME
/* -- The same for programs that may be built without the profiler ----------- */

/* No frame of a call stack, whatever the optimization. */
#if defined(__clang__)
#define MEMPROF_NO_FRAME __attribute__((always_inline, nodebug))
#else
#define MEMPROF_NO_FRAME __attribute__((always_inline))
#endif

/* 1 where the program runs under the profiler. */
static inline int memprof_is_present(void)
{
    return __memprof_is_running != 0;
}

static inline int memprof_dump(void)
{
    return __memprof_profile_dump != 0 ? __memprof_profile_dump() : 0;
}

static inline long long memprof_leaks(void)
{
    return __memprof_leaks != 0 ? __memprof_leaks() : 0;
}

static inline void memprof_reset(void)
{
    if (__memprof_profile_reset != 0)
        __memprof_profile_reset();
}

static inline void memprof_start(void)
{
    if (__memprof_start != 0)
        __memprof_start();
}

static inline void memprof_stop(void)
{
    if (__memprof_stop != 0)
        __memprof_stop();
}

static inline void memprof_phase(const char *name)
{
    if (__memprof_phase != 0)
        __memprof_phase(name);
}

static inline void memprof_mark(const char *name)
{
    if (__memprof_mark != 0)
        __memprof_mark(name);
}

static inline int memprof_is_running(void)
{
    return __memprof_is_running != 0 ? __memprof_is_running() : 0;
}

static inline void memprof_thread_name(const char *name)
{
    if (__memprof_thread_name != 0)
        __memprof_thread_name(name);
}

MEMPROF_NO_FRAME static inline void memprof_event(const char *name,
                                                  unsigned long long weight)
{
    if (__memprof_event != 0)
        __memprof_event(name, weight);
}

static inline void memprof_histogram(const void *p)
{
    if (__memprof_block_histogram != 0)
        __memprof_block_histogram(p);
}

static inline void memprof_pool_create(const void *pool, const char *name)
{
    if (__memprof_pool_create != 0)
        __memprof_pool_create(pool, name);
}

static inline void memprof_pool_destroy(const void *pool)
{
    if (__memprof_pool_destroy != 0)
        __memprof_pool_destroy(pool);
}

static inline void memprof_pool_clear(const void *pool)
{
    if (__memprof_pool_clear != 0)
        __memprof_pool_clear(pool);
}

MEMPROF_NO_FRAME static inline void
memprof_pool_alloc(const void *pool, const void *p, unsigned long long size)
{
    if (__memprof_pool_alloc != 0)
        __memprof_pool_alloc(pool, p, size);
}

static inline void memprof_pool_free(const void *pool, const void *p)
{
    if (__memprof_pool_free != 0)
        __memprof_pool_free(pool, p);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
