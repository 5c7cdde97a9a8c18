/* stacks.h -- the call stacks of a memory profile, indexed for finding calls in
 * them. Uses libmemprofdata, and does not depend on LLVM.
 *
 * A place is a source location of a call: function, line and column. A node is
 * a frame in the tree of call stacks; its parent is its caller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"
#include "shared/err.h"

struct mpass_place {
    uint64_t guid;        /* of the function's linkage name */
    uint32_t line_offset; /* from the first line, low 16 bits as in LLVM */
    uint32_t column;
};

/* Values of mpass_stacks.callees: a call of an allocation function. */
#define MPASS_STACKS_ALLOCATION 1u
/* Several callees: a call by pointer, or several calls of a macro. */
#define MPASS_STACKS_SEVERAL 2u

enum mpass_stack_kind {
    MPASS_STACK_OTHER,
    MPASS_STACK_COLD,
    MPASS_STACK_HOT,
    MPASS_STACK_KINDS
};

struct mpass_stack {
    uint32_t node; /* the allocation call */
    enum mpass_stack_kind kind;
    const char *reason; /* of the kind; a literal */
    uint64_t bytes;     /* allocated bytes */
    uint64_t live;      /* bytes, averaged over the run */
    uint8_t pool;       /* for its blocks (pool_groups.h); 0: none */
    bool is_loose;      /* gains by being dense (verdict.h) */
};

struct mpass_node {
    uint32_t parent;       /* node + 1; 0: none */
    uint32_t place;        /* place + 1; 0: not known */
    uint32_t next_at;      /* next node + 1 at the same place */
    uint32_t first_child;  /* node + 1 */
    uint32_t next_sibling; /* node + 1 */
    uint32_t stack;        /* stack + 1 that ends here */
};

struct mpass_stacks {
    struct mpass_place *places; /* ascending, each once */
    uint32_t *first_at;         /* by place: first node + 1 */
    uint64_t *callees;          /* by place: GUID, a value above, or 0 */
    struct mpass_node *nodes;
    struct mpass_stack *stacks;
    uint32_t place_count;
    uint32_t node_count;
    uint32_t stack_count;
    bool has_columns;
    uint64_t busy_bytes; /* of the program (verdict.h) */
    bool gains_by_huge_pages;
};

/* Reads an indexed profile and finds the hot and cold call stacks. hint_list is
 * the path of a list that overrides the profile, or "". functions: GUIDs of the
 * module's functions; if a profile that memprofdata wrote has none of them,
 * *out has no stacks, and most of the file is not read. Errors: those of
 * reading either file; diag->file names the file. demangle: of the names in the
 * list (struct mpdata_demangler). The caller frees *out. */
MPROF_NODISCARD enum mprof_err mpass_stacks_load(
    struct mpass_stacks **out, const char *path, const char *hint_list,
    char *(*demangle)(void *unused, const char *name),
    const uint64_t *functions, size_t function_count, struct mprof_diag *diag);
/* Accepts NULL. */
void mpass_stacks_free(struct mpass_stacks *stacks);

/* Index of the first place of the function, or where it would be. */
uint32_t mpass_stacks_first_place(const struct mpass_stacks *stacks,
                                  uint64_t guid);
/* Index of the place + 1, or 0. */
uint32_t mpass_stacks_find(const struct mpass_stacks *stacks,
                           const struct mpass_place *place);

/* A hash of the place, the same in every process. */
uint64_t mpass_stacks_frame_id(const struct mpass_place *place);
