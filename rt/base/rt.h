/* rt.h -- words and rules of the runtime, and macros that every file needs.
 * Each .c file has a header beside it. The parts of the runtime, and the order
 * of their starts, ends and locks, are one table: rt/start/lifecycle.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

/* clang-format off */
/* Words
 *
 *   block      the memory that malloc and the like return: `size` requested
 *              bytes at pointer p. No other block and no header of another slot
 *              lies in the block's granules, so blocks share no counters
 *   slot       the memory that the heap gives for a block, and its header
 *   granule    64 bytes of application memory with one u64 counter
 *   cell       8 bytes of application memory with one counter in histogram mode
 *   shadow     the memory that holds the counters
 *   context    the call stack of an allocation, identified by its depot id
 *   depot      the set of all recorded call stacks; ids are dense, from 1; 0
 *              means "not recorded" (allocated inside the runtime, or dropped)
 *   MIB        memory info block: the sums over all blocks of one context
 *              (shared/mib.h)
 *   snapshot   the MIBs of all contexts at one moment, live blocks included
 *   dump       writes a snapshot to a file
 *   helper     the runtime's process that dumps while the program runs
 *   guard      the flag of a thread that is inside the runtime
 *
 * Rules
 *
 *   - The runtime calls no libc function that allocates, locks or is interposed
 *     by us, and no stdio.
 *   - Every interface function keeps errno and enters the guard (thread.h). If
 *     the thread is inside already, it acts as the plain function.
 *   - No lock is held while the program's code runs. Locks are taken in the
 *     order of rt/start/lifecycle.inc. The depot is lock-free.
 *   - If a resource is exhausted, the runtime stops profiling, keeps the program
 *     running, and says so once (log.h).
 */
/* clang-format on */

#include "shared/base.h"

#include <stdatomic.h>

/* An interface symbol: stays global when the runtime is linked into one object.
 * All other symbols become local (objcopy --keep-global-symbols). */
#define MPRT_INTERFACE __attribute__((visibility("default")))
/* A variable of another file of the runtime: accessed directly, not through the
 * GOT. */
#define MPRT_HIDDEN __attribute__((visibility("hidden")))
#define MPRT_ALWAYS_INLINE __attribute__((always_inline))
#define MPRT_NOINLINE __attribute__((noinline))
#define MPRT_WEAK __attribute__((visibility("default"), weak))
/* A weak string that the program may replace by an array of another length. The
 * symbol has no size, because with -flto GNU ld reports a size that differs
 * from the program's. */
#define MPRT_WEAK_STRING(name, text)                              \
    extern MPRT_WEAK const char name[];                           \
    __asm__(".pushsection .rodata,\"a\"\n.weak " #name "\n" #name \
            ": .asciz \"" text "\"\n.popsection")

/* Return address and frame of the outermost function of the runtime, for call
 * stacks. Use the macros in the interceptor itself. */
struct mprt_caller {
    uintptr_t pc; /* 0: unknown */
    uintptr_t frame;
};
#define MPRT_NO_CALLER ((struct mprt_caller){0, 0})
#define MPRT_CALLER_PC() ((uintptr_t)__builtin_return_address(0))
#define MPRT_CALLER_FRAME() ((uintptr_t)__builtin_frame_address(0))
#define MPRT_CALLER() \
    ((struct mprt_caller){MPRT_CALLER_PC(), MPRT_CALLER_FRAME()})

/* Atomic accesses that order no other ones unless their name says so.
 * MPRT_ADD() returns the value before; MPRT_CAS() stores n if the value is
 * *before, otherwise loads *before.
 */
#define MPRT_LOAD(from) atomic_load_explicit(&(from), memory_order_relaxed)
#define MPRT_STORE(to, n) atomic_store_explicit(&(to), n, memory_order_relaxed)
#define MPRT_LOAD_ACQUIRE(from) \
    atomic_load_explicit(&(from), memory_order_acquire)
#define MPRT_STORE_RELEASE(to, n) \
    atomic_store_explicit(&(to), n, memory_order_release)
#define MPRT_ADD(to, n) \
    atomic_fetch_add_explicit(&(to), n, memory_order_relaxed)
#define MPRT_CAS(to, before, n)              \
    atomic_compare_exchange_strong_explicit( \
        &(to), before, n, memory_order_relaxed, memory_order_relaxed)
