/* call_tree.h -- the call tree of a profile, outermost function first: what
 * each place in it allocated itself, and what was allocated below it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CALL_TREE_H
#define MPDATA_CALL_TREE_H

#include "profdata/query/frame_groups.h"
#include "profdata/query/metrics.h"

/* Numbers of nodes; the root is 0. */
struct mpdata_call_node {
    uint32_t parent;  /* an earlier one; of the root 0 */
    uint32_t frame;   /* one of its frames, which has its name; not of the root
                       */
    uint32_t group;   /* of its frame; not of the root */
    uint32_t child;   /* the first; 0: none */
    uint32_t sibling; /* the next; 0: none */
    uint32_t children;
};

/* What a tree is made of. */
struct mpdata_call_tree_of {
    enum mpdata_group_by by;
    const enum mpdata_metric *metrics;
    size_t metric_count; /* at least 1 */
    /* By frame of the profile: is it the root's? NULL: the root is the program.
     */
    const bool *is_frame;
    /* What has less of the root's first metric has no children in the tree;
     * 0: all have theirs. */
    double percent;
};

/* self, total: metric_count of them a node. */
struct mpdata_call_tree {
    struct mpdata_call_node *nodes;
    uint64_t *self;  /* of call stacks that end here */
    uint64_t *total; /* and of those that go on */
    uint64_t least;  /* of the first metric: what of->percent came to, at least
                        1;  0: all nodes were made */
    uint32_t count;
    size_t metric_count;
    struct mpdata_frame_groups groups;
};

/* From the root downwards, of a canonical profile. The program's own are the
 * call stacks of which nothing is known; the root may be one function, or any
 * of some: then each call stack that goes through them counts once, with what
 * the innermost one called. Siblings of one group (frame_groups.h) are one
 * node; they stand in the order of the profile's frames. Time and memory grow
 * with the profile's nodes. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_call_tree_make(struct mpdata_call_tree *tree,
                      const struct mpdata_profile *profile,
                      const struct mpdata_call_tree_of *of);

/* From functions upwards: who called the outermost one, so the children of a
 * node are its callers, at most MPDATA_CALL_TREE_ABOVE of them one above the
 * other; self is nothing to go by there. of->is_frame is not NULL. Errors as
 * above. */
#define MPDATA_CALL_TREE_ABOVE 256
MPROF_NODISCARD enum mprof_err
mpdata_call_tree_make_above(struct mpdata_call_tree *tree,
                            const struct mpdata_profile *profile,
                            const struct mpdata_call_tree_of *of);
void mpdata_call_tree_fini(struct mpdata_call_tree *tree);

/* Orders siblings by the total of metrics[column], largest first; equal ones
 * stay as they are. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_call_tree_sort(struct mpdata_call_tree *tree, size_t column);

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

/* The node after this one, callers before what they call, and how many calls
 * deep the walk went with it (-depth up; 0 is a sibling). 0 at the end. */
uint32_t mpdata_call_tree_next(const struct mpdata_call_tree *tree,
                               uint32_t node, uint32_t *depth);
/* The same without what is below this node. */
uint32_t mpdata_call_tree_skip(const struct mpdata_call_tree *tree,
                               uint32_t node, uint32_t *depth);

#endif
