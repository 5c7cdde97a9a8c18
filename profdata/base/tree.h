/* tree.h -- orders of a forest that is stored as parent numbers, each parent
 * before its children.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TREE_H
#define MPDATA_TREE_H

#include "shared/base.h"

#define MPDATA_TREE_SKIP UINT32_MAX

/* Numbers that stand `step` numbers apart: an array has 1, a column of rows as
 * many as a row. */
struct mpdata_numbers {
    const uint32_t *data;
    size_t step;
};

/* A column of pairs (pairs.h), of which there may be none. */
static inline struct mpdata_numbers mpdata_numbers_of_pairs(const void *pairs,
                                                            unsigned column)
{
    return (struct mpdata_numbers){
        .data = pairs != NULL ? (const uint32_t *)pairs + column : NULL,
        .step = 2};
}

static inline uint32_t mpdata_numbers_get(struct mpdata_numbers numbers,
                                          size_t i)
{
    return numbers.data[i * numbers.step];
}

/* A forest of `count` nodes. parents[i] is the parent's index + 1, 0 for a
 * root, and at most i. keys[i] < key_count orders siblings; MPDATA_TREE_SKIP
 * leaves the node out (then its descendants must be left out too). */
struct mpdata_tree {
    struct mpdata_numbers parents;
    struct mpdata_numbers keys;
    uint32_t count;
    uint32_t key_count;
};

/* Fills order[] (room for tree->count) with the nodes that are not left out:
 * level by level, so that the rows ascend by (parent's row, key). Returns how
 * many, or UINT32_MAX without memory. */
uint32_t mpdata_tree_levels(const struct mpdata_tree *tree, uint32_t *order);

/* The same in preorder: a node, then the subtrees of its children in the order
 * of their keys. */
uint32_t mpdata_tree_preorder(const struct mpdata_tree *tree, uint32_t *order);

#endif
