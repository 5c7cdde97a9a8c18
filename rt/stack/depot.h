/* depot.h -- the set of call stacks. Any thread; lock-free; inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"

/* Limit of contexts in a process; further ones are dropped. */
#define MPRT_CONTEXTS_MAX (UINT32_C(1) << 24)
/* Upper bound of the threads that add a context at the same time. */
#define MPRT_THREADS_SLACK 65536

/* Limits of name numbers (names.h): of threads, and of all kinds. */
#define MPRT_THREADNAMES 1024
#define MPRT_NAMES 4096

/* Reserves address space for the tables. If there is none, ends the program.
 * Called once. */
void mprt_depot_init(void);
/* In a forked child: from now on every stack gets a new id. A lower id marks
 * data that the parent recorded. No other thread may run. */
void mprt_depot_in_child(void);

/* Returns the id of a call stack, which is added if new; 0 if out of memory.
 * pcs is leaf first. Lock-free. */
uint32_t mprt_depot_put(const uintptr_t *pcs, size_t count, bool truncated);
/* The same for a call stack under a name (1..MPRT_NAMES - 1); name 0 means
 * none. */
uint32_t mprt_depot_put_of(uint32_t name, const uintptr_t *pcs, size_t count,
                           bool truncated);
/* Returns the id of the call stack `id` under a name. Returns 0 if out of
 * memory, and for id 0. */
uint32_t mprt_depot_named(uint32_t id, uint32_t name);
/* Name number of an id, or 0. */
uint32_t mprt_depot_name(uint32_t id);
/* Whether the id has a name that is not a thread's. */
static inline bool mprt_depot_is_tagged(uint32_t id)
{
    return mprt_depot_name(id) >= MPRT_THREADNAMES;
}
/* The call stack of an id, leaf first. */
struct mprt_stack {
    uintptr_t pcs[MPRT_STACK_FRAMES_MAX];
    size_t count;
    bool truncated;
};
void mprt_depot_get(uint32_t id, struct mprt_stack *stack);
/* Call stacks as a tree. _leaf() returns the node of the innermost frame of an
 * id. _node() returns a node's frame and sets *parent to the node of the
 * caller, which is one of the two roots at the end. A parent has a smaller
 * number than its children. */
#define MPRT_DEPOT_ROOT 1     /* root of complete stacks */
#define MPRT_DEPOT_ROOT_CUT 2 /* root of truncated stacks */
uint32_t mprt_depot_leaf(uint32_t id);
uintptr_t mprt_depot_node(uint32_t node, uint32_t *parent);
/* Whether the call stack is truncated. */
bool mprt_depot_is_cut(uint32_t id);
/* Returns the child of a node with this frame, or 0. */
uint32_t mprt_depot_child(uint32_t parent, uintptr_t pc);
/* Number of nodes; they are numbered 1..count. */
uint32_t mprt_depot_node_count(void);
/* Number of ids; they are 1..count. */
uint32_t mprt_depot_count(void);
/* First id that belongs to this process and not to a parent. */
extern MPRT_HIDDEN uint32_t mprt_depot_first_id;
/* Whether this process has not yet recorded a stack of its own. */
bool mprt_depot_is_blank(void);
/* Bytes of memory in use by the tables. */
uint64_t mprt_depot_memory_bytes(void);
