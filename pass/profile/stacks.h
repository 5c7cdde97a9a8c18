/* stacks.h -- the call stacks of a memory profile, as calls are looked for in
 * them. Read with libmemprofdata; nothing here knows LLVM.
 *
 * A place is a call in the source: a function and where in it. Nodes are the
 * places that call stacks consist of; the parent of a node is its caller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_STACKS_H
#define MPASS_STACKS_H

#include "shared/base.h"
#include "shared/err.h"

struct mpass_place {
    uint64_t guid;        /* of the function's linkage name */
    uint32_t line_offset; /* from its first line, 16 bits as LLVM has it */
    uint32_t column;
};

/* The callee of a place where the allocation function itself is called. */
#define MPASS_STACKS_ALLOCATION 1u
/* Several functions are called there: behind a pointer, or by a macro. */
#define MPASS_STACKS_SEVERAL 2u

enum mpass_stack_kind {
    MPASS_STACK_OTHER,
    MPASS_STACK_COLD,
    MPASS_STACK_HOT,
    MPASS_STACK_KINDS
};

struct mpass_stack {
    uint32_t node; /* of the allocation call */
    enum mpass_stack_kind kind;
    const char *reason; /* a sentence, in the library */
    uint64_t bytes;     /* that it allocated */
};

struct mpass_node {
    uint32_t parent;       /* node + 1; 0: none */
    uint32_t place;        /* place + 1; 0: not known */
    uint32_t next_at;      /* node + 1 at the same place */
    uint32_t first_child;  /* node + 1 */
    uint32_t next_sibling; /* node + 1 */
    uint32_t stack;        /* stack + 1 that ends here */
};

struct mpass_stacks {
    struct mpass_place *places; /* ascending, each once */
    uint32_t *first_at;         /* of a place: node + 1 */
    uint64_t *callees;          /* of a place: GUID, as above, or 0 */
    struct mpass_node *nodes;
    struct mpass_stack *stacks;
    uint32_t place_count;
    uint32_t node_count;
    uint32_t stack_count;
    bool has_columns;
};

/* Reads an indexed profile and judges its call stacks; what a list of hints
 * says, a file or "", counts instead. Where a profile that memprofdata wrote
 * has none of the functions (GUIDs), *out has no stacks, and most of the file
 * is not read. Errors: a reader's; diag->file is which of the files it is in.
 */
MPROF_NODISCARD enum mprof_err
mpass_stacks_load(struct mpass_stacks **out, const char *path,
                  const char *hint_list, const uint64_t *functions,
                  size_t function_count, struct mprof_diag *diag);
/* Accepts NULL. */
void mpass_stacks_free(struct mpass_stacks *stacks);

/* The first place of the function, or the one behind where it would be. */
uint32_t mpass_stacks_first_place(const struct mpass_stacks *stacks,
                                  uint64_t guid);
/* The place + 1, or 0. */
uint32_t mpass_stacks_find(const struct mpass_stacks *stacks,
                           const struct mpass_place *place);

/* A number for the place that is the same in every process. */
uint64_t mpass_stacks_frame_id(const struct mpass_place *place);

#endif
