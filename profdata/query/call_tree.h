/* call_tree.h -- the call tree of a profile, outermost function first: what was
 * allocated by each node itself, and below it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/frames.h"
#include "profdata/query/metrics.h"

/* A node of the tree; nodes are numbered, the root is 0. */
struct mpdata_call_node {
    uint32_t parent;  /* an earlier node; 0 for the root */
    uint32_t frame;   /* one of its frames, for its name; not for the root */
    uint32_t group;   /* group of its frames; not for the root */
    uint32_t child;   /* first child; 0: none */
    uint32_t sibling; /* next sibling; 0: none */
    uint32_t children;
};

/* Options of a tree. */
struct mpdata_call_tree_of {
    enum mpdata_by by;
    const enum mpdata_metric *metrics;
    size_t metric_count; /* at least 1 */
    /* By frame of the profile: does it belong to the root? NULL: the root is
     * the program. */
    const bool *is_frame;
    bool is_upwards; /* needs is_frame */
    /* Nodes with less than this share of the root's first metric are not
     * expanded; 0: all nodes are. */
    double percent;
};

/* self and total hold metric_count values per node. */
struct mpdata_call_tree {
    struct mpdata_call_node *nodes;
    uint64_t *self;  /* of call stacks that end here */
    uint64_t *total; /* self, and call stacks that continue below */
    /* Threshold of the first metric by of->percent, at least 1; 0: all nodes
     * were expanded. */
    uint64_t least;
    uint32_t count;
    size_t metric_count;
    size_t divisor; /* mpdata_metrics_divisor() */
    struct mpdata_frame_groups groups;
};

#define MPDATA_CALL_TREE_ABOVE 256

/* Builds the tree from its root, for a canonical profile. By default the root
 * is the program, and its self values are those of empty call stacks. The root
 * may also stand for functions: downwards each call stack through them counts
 * once, with what the innermost one called; upwards the children of a node are
 * the callers of the outermost one, at most MPDATA_CALL_TREE_ABOVE levels, and
 * self has no meaning. Siblings of one group (frames.h) are one node, in the
 * order of the profile's frames. Time and memory are linear in the profile's
 * nodes. Call mpdata_call_tree_fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_call_tree_make(struct mpdata_call_tree *tree,
                      const struct mpdata_profile *profile,
                      const struct mpdata_call_tree_of *of);
void mpdata_call_tree_fini(struct mpdata_call_tree *tree);

/* Sorts siblings by the total of the first metric, largest first; the sort is
 * stable. Lifetimes are sorted by that of a block, and siblings whose sum is
 * below tree->least come last. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_call_tree_sort(struct mpdata_call_tree *tree);

static inline uint64_t
mpdata_call_tree_self(const struct mpdata_call_tree *tree, uint32_t node,
                      size_t column)
{
    return tree->self[node * tree->metric_count + column];
}

static inline uint64_t
mpdata_call_tree_total(const struct mpdata_call_tree *tree, uint32_t node,
                       size_t column)
{
    return tree->total[node * tree->metric_count + column];
}

/* The first function returns the next node in preorder after those below this
 * one, or 0 at the end, and changes *depth by the levels between the two nodes;
 * the second one does not skip the nodes below. */
static inline uint32_t
mpdata_call_tree_skip(const struct mpdata_call_tree *tree, uint32_t node,
                      uint32_t *depth)
{
    while (node != 0 && tree->nodes[node].sibling == 0) {
        node = tree->nodes[node].parent;
        --*depth;
    }
    return node != 0 ? tree->nodes[node].sibling : 0;
}
static inline uint32_t
mpdata_call_tree_next(const struct mpdata_call_tree *tree, uint32_t node,
                      uint32_t *depth)
{
    if (tree->nodes[node].child != 0) {
        ++*depth;
        return tree->nodes[node].child;
    }
    return mpdata_call_tree_skip(tree, node, depth);
}

/* -- the tree as lines, without small nodes ------------------------------------ */

struct mpdata_tree_row {
    uint32_t node;  /* node of the tree */
    uint32_t depth; /* calls below the root */
    /* Number of sibling nodes folded into this row because each is below the
     * threshold; 0 for an ordinary row. */
    uint32_t folded;
    bool is_only; /* the only row below its caller */
    bool is_last; /* the last row below its caller */
};

struct mpdata_tree_rows {
    struct mpdata_tree_row *rows; /* owned; the root first */
    uint32_t count;
};

/* Lists the rows of a tree that was sorted by mpdata_call_tree_sort(): the
 * root, and each node whose total of the first metric is at least `least`. The
 * smaller nodes below one caller are folded into one row if their sum reaches
 * `least`. 0: lists all nodes. Call _fini() even after a failure. Error: NOMEM.
 */
MPROF_NODISCARD enum mprof_err
mpdata_call_tree_rows(struct mpdata_tree_rows *rows,
                      const struct mpdata_call_tree *tree, uint64_t least);
void mpdata_call_tree_rows_fini(struct mpdata_tree_rows *rows);

/* Returns the total of a row. */
uint64_t mpdata_call_tree_rows_total(const struct mpdata_call_tree *tree,
                                     const struct mpdata_tree_row *row,
                                     size_t column);
