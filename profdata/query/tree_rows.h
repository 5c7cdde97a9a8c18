/* tree_rows.h -- a call tree as lines, without small nodes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TREE_ROWS_H
#define MPDATA_TREE_ROWS_H

#include "profdata/query/call_tree.h"

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

/* Lists the rows of a tree that was sorted by mpdata_call_tree_sort(tree,
 * column): the root, and each node whose total of that metric is at least
 * `least`. The smaller nodes below one caller are folded into one row if their
 * sum reaches `least`. 0: lists all nodes. Call _fini() even after a failure.
 * Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_tree_rows_make(struct mpdata_tree_rows *rows,
                      const struct mpdata_call_tree *tree, size_t column,
                      uint64_t least);
void mpdata_tree_rows_fini(struct mpdata_tree_rows *rows);

/* Returns the total of a row. */
uint64_t mpdata_tree_rows_total(const struct mpdata_call_tree *tree,
                                const struct mpdata_tree_row *row,
                                size_t column);

#endif
