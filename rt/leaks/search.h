/* search.h -- the parts of the search for leaks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/mibmap.h"
#include "shared/buf.h"
#include "rt/base/rt.h"

/* mark.c -- marks the blocks that can be reached from words that may be
 * pointers to blocks. Runs in the process that searches while all threads are
 * stopped; the heap's locks are held. There is one list of blocks at a time. */

/* Lists all live blocks and marks none as reached. Returns false if out of
 * memory. mprt_mark_end() must follow in any case. */
bool mprt_mark_begin(void);
void mprt_mark_end(void);

/* Finds the block that holds address p and sets the start and end of its bytes.
 * Returns false if there is none. */
bool mprt_mark_find(uintptr_t p, uintptr_t *start, uintptr_t *end);
/* Mark blocks as reached: the block that p points into; the blocks that aligned
 * words of [start, end) point into, as far as they are readable; the blocks of
 * some contexts. */
void mprt_mark_pointer(uintptr_t p);
void mprt_mark_words(uintptr_t start, uintptr_t end);
void mprt_mark_contexts(bool (*is_root)(uint32_t context));
/* Marks all blocks that can be reached from marked blocks. */
void mprt_mark_follow(void);

/* Adds the blocks that are not marked to leaks[context], for contexts below
 * count. */
void mprt_mark_sum(struct mprt_mibmap_leaks *leaks, uint32_t count);

/* A leaked block as a node of a graph. Its edges are the numbers, from 0, of
 * the leaked blocks that it points to; they end where the next block's edges
 * start. */
struct mprt_mark_leak {
    uint64_t first_edge;
    uint64_t bytes;
    uint32_t context;
    uint32_t blocks;
};
/* Appends the leaked blocks of contexts below `contexts`, with an empty one at
 * the end, and their edges (uint32_t). Returns false if out of memory. Call it
 * after mprt_mark_sum(). */
bool mprt_mark_graph(struct mprof_buf *leaks, struct mprof_buf *edges,
                     uint32_t contexts);

/* stopped_threads.c -- stops all threads of the program while another process
 * of the runtime reads their memory and registers. */

/* struct user_regs_struct of the kernel, as words. */
#define MPRT_STOPPED_THREADS_REGISTERS 27

struct mprt_stopped_thread {
    uint32_t tid;
    uint32_t state; /* enum mprt_os_traced */
    int signal;     /* signal that it was about to receive */
    uint64_t registers[MPRT_STOPPED_THREADS_REGISTERS];
};
uintptr_t
mprt_stopped_threads_stack_pointer(const struct mprt_stopped_thread *t);
uintptr_t
mprt_stopped_threads_thread_pointer(const struct mprt_stopped_thread *t);

/* The stopped threads, without the thread that called
 * mprt_stopped_threads_visit(), which waits. */
struct mprt_stopped_threads {
    const struct mprt_stopped_thread *threads;
    uint32_t count;
};

/* Calls look(argument) in a process that shares the memory, while all threads
 * are stopped. look() must not call libc, must not wait for a lock, and must
 * read memory that may be unreadable only in mprt_fault_try(). Returns NULL, or
 * the reason of a failure. Stopping takes some seconds at most; the whole call
 * at most patience_ns. One call at a time; the caller holds the locks that keep
 * look()'s data consistent. */
const char *mprt_stopped_threads_visit(
    void (*look)(const struct mprt_stopped_threads *stopped, void *argument),
    void *argument, uint64_t patience_ns);

/* roots.c -- finds the roots of the search: pointers outside of blocks, in
 * global variables, stacks, registers and thread-local storage. */

/* A thread: its stack pointer (the stack grows down) and its thread pointer. */
struct mprt_roots_thread {
    uintptr_t stack;
    uintptr_t pointer;
    bool is_first; /* the program's first thread */
};

/* Lists the binaries. Returns false if out of memory. mprt_roots_end() must
 * follow in any case. Call these functions while all threads are stopped. */
bool mprt_roots_begin(void);
void mprt_roots_end(void);

/* Marks everything that the roots point to, after mprt_mark_begin(). The caller
 * has no stack (0) if it is no thread of the program. Returns NULL, or the
 * reason of a failure. */
const char *mprt_roots_mark(const struct mprt_stopped_threads *stopped,
                            const struct mprt_roots_thread *caller);

/* holders.c -- finds which leaked blocks hold which others, by call stack: a
 * block holds the blocks that can be reached from it. */

/* Appends a row (struct mprt_mibmap_held) for each pair of contexts below
 * `contexts` where leaked blocks of one hold leaked blocks of the other,
 * directly or through further blocks. Appends nothing and returns false if
 * there are too many pairs or no memory. Call it after mprt_mark_sum(). */
bool mprt_holders_find(struct mprof_buf *held, uint32_t contexts);
