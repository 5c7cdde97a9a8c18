/* depot.h -- the set of call stacks. Any thread; lock-free; inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_DEPOT_H
#define MPRT_DEPOT_H

#include "rt/base/thread.h"

/* Contexts that a process may have; then further ones are dropped. */
#define MPRT_CONTEXTS_MAX (UINT32_C(1) << 24)
/* Threads that may be adding one at the same time. */
#define MPRT_THREADS_SLACK 65536

/* Numbers of names (names.h): of threads, and of all. */
#define MPRT_THREADNAMES 1024
#define MPRT_NAMES 4096

/* Reserves the tables; ends the program without address space. Called once. */
void mprt_depot_init(void);
/* In a forked child: gives new ids to all stacks from now on, so that what was
 * recorded under the old ones can be told apart: it is the parent's. No other
 * thread may run. */
void mprt_depot_after_fork(bool is_child, bool is_outermost);

/* The id of this stack, added where it is new; 0 without memory. Lock-free. */
uint32_t mprt_depot_put(const uintptr_t *pcs, size_t count, bool truncated);
/* The same for one of the names 1..MPRT_NAMES - 1 alone; 0: of any. */
uint32_t mprt_depot_put_of(uint32_t name, const uintptr_t *pcs, size_t count,
                           bool truncated);
/* The id of the call stack of an id, under a name; 0 without memory, and for
 * 0. */
uint32_t mprt_depot_named(uint32_t id, uint32_t name);
/* Whose the id is, or 0. */
uint32_t mprt_depot_name(uint32_t id);
/* Is it under a name that is none of a thread? */
static inline bool mprt_depot_is_part(uint32_t id)
{
    return mprt_depot_name(id) >= MPRT_THREADNAMES;
}
/* The stack of an id that mprt_depot_put() gave, leaf first. */
struct mprt_stack {
    uintptr_t pcs[MPRT_STACK_FRAMES_MAX];
    size_t count;
    bool truncated;
};
void mprt_depot_get(uint32_t id, struct mprt_stack *stack);
/* The same as nodes of a tree: the leaf of a context; a node's frame and its
 * parent's number, up to one of the two roots. Parents have smaller numbers
 * than their children. */
#define MPRT_DEPOT_ROOT 1     /* of whole stacks */
#define MPRT_DEPOT_ROOT_CUT 2 /* of truncated ones */
uint32_t mprt_depot_leaf(uint32_t id);
uintptr_t mprt_depot_node(uint32_t node, uint32_t *parent);
/* Is it a truncated one? */
bool mprt_depot_is_cut(uint32_t id);
/* The child of a node that has this frame, or 0. */
uint32_t mprt_depot_child(uint32_t parent, uintptr_t pc);
/* Numbers given so far are 1..count. */
uint32_t mprt_depot_node_count(void);
/* Ids given so far are 1..count. */
uint32_t mprt_depot_count(void);
/* The first id that is this process's own. */
extern MPRT_HIDDEN uint32_t mprt_depot_first_id;
/* True until this process has recorded a stack of its own. */
bool mprt_depot_is_blank(void);
/* Bytes that the tables take. */
uint64_t mprt_depot_memory_bytes(void);

#endif
