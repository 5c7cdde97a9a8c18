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

/* Prints what the allocator holds, in a few lines, to stderr. Signal-safe. */
MEMPROF_API void __memprof_print_accumulated_stats(void);

/* The runtime's version, as "1.2.3". */
extern MEMPROF_API const char __memprof_rt_version[];

/* For the program to define: options, as in MEMPROF_OPTIONS, which has the last
 * word. Called once, by the first allocation: it must not allocate. */
const char *__memprof_default_options(void);

#ifndef MEMPROF_RUNTIME
/* -- The same for programs that may be built without the profiler ----------- */

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

static inline int memprof_is_running(void)
{
    return __memprof_is_running != 0 ? __memprof_is_running() : 0;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
