/* tree.c -- canonical orders of a forest, in linear time and without recursion.
 *
 * A counting sort orders all nodes by key. Distributing them to their parents
 * in this order sorts the children of all parents at once.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/tree.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

static uint32_t parent_of(const struct mpdata_tree *tree, uint32_t node)
{
    return mpdata_numbers_get(tree->parents, node);
}

/* Turns counts into starts: starts[i] = counts[0] + ... + counts[i - 1]. */
static void sum_up(uint32_t *counts, uint32_t n)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t count = counts[i];

        counts[i] = total;
        total += count;
    }
}

/* Fills by_key[] with the nodes that are not excluded, ascending by key.
 * Returns their number, or UINT32_MAX when out of memory. */
static uint32_t sort_by_key(const struct mpdata_tree *tree, uint32_t *by_key)
{
    uint32_t *starts =
        mpdata_vec_array((size_t)tree->key_count + 1, sizeof(*starts));
    uint32_t used = 0;

    if (starts == NULL)
        return UINT32_MAX;
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t key = mpdata_numbers_get(tree->keys, i);

        if (key != MPDATA_TREE_SKIP) {
            starts[key]++;
            used++;
        }
    }
    sum_up(starts, tree->key_count);
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t key = mpdata_numbers_get(tree->keys, i);

        if (key != MPDATA_TREE_SKIP)
            by_key[starts[key]++] = i;
    }
    free(starts);
    return used;
}

/* Fills children[starts[p] .. starts[p + 1]) with the children of node p - 1,
 * by key; p = 0: the roots. starts has tree->count + 2 elements, zeroed. */
static void group_by_parent(const struct mpdata_tree *tree,
                            const uint32_t *by_key, uint32_t used,
                            uint32_t *starts, uint32_t *children)
{
    for (uint32_t i = 0; i < used; i++)
        starts[parent_of(tree, by_key[i]) + 1]++;
    for (uint32_t p = 0; p <= tree->count; p++)
        starts[p + 1] += starts[p];
    /* Filling backwards moves starts[p + 1] down to the start of p. */
    for (uint32_t i = used; i-- > 0;)
        children[--starts[parent_of(tree, by_key[i]) + 1]] = by_key[i];
    for (uint32_t p = 0; p <= tree->count; p++)
        starts[p] = starts[p + 1];
    starts[tree->count + 1] = used;
}

static uint32_t append_children(const uint32_t *starts,
                                const uint32_t *children, uint32_t p,
                                uint32_t *order, uint32_t n)
{
    for (uint32_t i = starts[p]; i < starts[p + 1]; i++)
        order[n++] = children[i];
    return n;
}

uint32_t mpdata_tree_levels(const struct mpdata_tree *tree, uint32_t *order)
{
    /* Unused once order[] is filled. */
    uint32_t *const by_key = order;
    uint32_t *children = mpdata_vec_array(tree->count, sizeof(*children));
    uint32_t *starts =
        mpdata_vec_array((size_t)tree->count + 2, sizeof(*starts));
    uint32_t used = UINT32_MAX;

    if (children == NULL || starts == NULL)
        goto out;
    used = sort_by_key(tree, by_key);
    if (used == UINT32_MAX)
        goto out;
    group_by_parent(tree, by_key, used, starts, children);
    uint32_t n = append_children(starts, children, 0, order, 0);
    for (uint32_t i = 0; i < n; i++)
        n = append_children(starts, children, order[i] + 1, order, n);
out:
    free(starts);
    free(children);
    return used;
}

uint32_t mpdata_tree_preorder(const struct mpdata_tree *tree, uint32_t *order)
{
    uint32_t *levels = mpdata_vec_array(tree->count, sizeof(*levels));
    uint32_t *sizes = NULL;
    /* next[p]: row of the subtree of node p - 1's next child. */
    uint32_t *next = NULL;
    uint32_t used = UINT32_MAX;

    if (levels == NULL)
        goto out;
    uint32_t n = mpdata_tree_levels(tree, levels);
    sizes = mpdata_vec_array(tree->count, sizeof(*sizes));
    next = mpdata_vec_array((size_t)tree->count + 1, sizeof(*next));
    if (n == UINT32_MAX || sizes == NULL || next == NULL)
        goto out;
    used = n;
    for (uint32_t i = used; i-- > 0;) {
        const uint32_t node = levels[i];

        sizes[node]++;
        if (parent_of(tree, node) != 0)
            sizes[parent_of(tree, node) - 1] += sizes[node];
    }
    for (uint32_t i = 0; i < used; i++) {
        const uint32_t node = levels[i];
        const uint32_t row = next[parent_of(tree, node)];

        next[parent_of(tree, node)] += sizes[node];
        next[node + 1] = row + 1;
        order[row] = node;
    }
out:
    free(next);
    free(sizes);
    free(levels);
    return used;
}
