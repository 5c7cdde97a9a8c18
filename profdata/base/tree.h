/* tree.h -- orders of a forest that is stored as parent numbers, each parent
 * before its children.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

#define MPDATA_TREE_SKIP UINT32_MAX

/* Numbers at a distance of `step` elements: 1 for an array; for a column of
 * rows, the width of a row. */
struct mpdata_numbers {
    const uint32_t *data;
    size_t step;
};

/* A column of an array of pairs (pairs.h); pairs may be NULL. */
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
 * excludes the node (its descendants must be excluded too). */
struct mpdata_tree {
    struct mpdata_numbers parents;
    struct mpdata_numbers keys;
    uint32_t count;
    uint32_t key_count;
};

/* Fills order[] (room for tree->count) with the nodes that are not excluded,
 * level by level, so that the rows ascend by (parent's row, key). Returns their
 * number, or UINT32_MAX when out of memory. */
uint32_t mpdata_tree_levels(const struct mpdata_tree *tree, uint32_t *order);

/* The same in preorder: a node, then the subtrees of its children in the order
 * of their keys. */
uint32_t mpdata_tree_preorder(const struct mpdata_tree *tree, uint32_t *order);
