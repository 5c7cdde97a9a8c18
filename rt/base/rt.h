/* rt.h -- words and rules of the runtime, and what every file of it needs.
 * Each module has a header of its own beside it: rt/heap/heap.h for
 * rt/heap/heap.c. What belongs together, and in which order it starts, ends and
 * is locked, is one table: rt/start/lifecycle.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_RT_H
#define MPRT_RT_H

/* clang-format off */
/* Words
 *
 *   block      what malloc and the like return: `size` requested bytes at the
 *              user pointer p. A block owns all granules that it lies in, and no
 *              other slot's header lies there: no two blocks share a counter
 *   slot       the memory that the heap gives for a block, and its header
 *   granule    64 bytes of application memory with one u64 counter
 *   cell       8 bytes of application memory with one counter in histogram mode
 *   shadow     where the counters are
 *   context    a call stack that allocated; named by its depot id
 *   depot      the set of all call stacks seen; ids are dense, from 1; 0 is
 *              "not recorded" (allocated inside the runtime, or dropped)
 *   MIB        shared/mib.h: what is known of all blocks of one context
 *   snapshot   the MIBs of all contexts at one moment
 *   dump       writing out a snapshot, with the live blocks as they stand
 *   helper     the process of ours that dumps while the program runs
 *   guard      the mark of a thread that is inside the runtime
 *
 * Rules
 *
 *   - Nothing here calls libc functions that allocate, lock or are interposed
 *     by us; no stdio.
 *   - Every entry from user code keeps errno, enters the guard (thread.h) and,
 *     where it is inside already, acts as the plain function.
 *   - No lock is held while user code runs; locks are taken in the order of
 *     rt/start/lifecycle.inc. The depot is lock-free.
 *   - On a failed resource: stop profiling, keep the program running, say so
 *     once (log.h).
 */
/* clang-format on */

#include "shared/base.h"

#include <stdatomic.h>

/* An interface symbol: kept global when the runtime object is made. All other
 * functions become local (objcopy --keep-global-symbols). */
#define MPRT_INTERFACE __attribute__((visibility("default")))
/* A variable of another file of ours: read in its place, not through the GOT.
 */
#define MPRT_HIDDEN __attribute__((visibility("hidden")))
#define MPRT_ALWAYS_INLINE __attribute__((always_inline))
#define MPRT_WEAK __attribute__((visibility("default"), weak))
/* A weak string in place of an array of another length that the program may
 * define. The symbol has no size: GNU ld reports one that differs from the
 * program's where it links with -flto. */
#define MPRT_WEAK_STRING(name, text)                              \
    extern MPRT_WEAK const char name[];                           \
    __asm__(".pushsection .rodata,\"a\"\n.weak " #name "\n" #name \
            ": .asciz \"" text "\"\n.popsection")

#endif
