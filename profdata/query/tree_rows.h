/* tree_rows.h -- a call tree as lines, without what does not matter.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TREE_ROWS_H
#define MPDATA_TREE_ROWS_H

#include "profdata/query/call_tree.h"

struct mpdata_tree_row {
    uint32_t node;   /* of the tree */
    uint32_t depth;  /* calls below the root */
    uint32_t folded; /* 0: the node; else it and its next siblings, so many that
                        have something, but each too little to be shown */
    bool is_only;    /* alone below its caller */
    bool is_last;    /* of what is below its caller */
};

struct mpdata_tree_rows {
    struct mpdata_tree_row *rows; /* owned; the root first */
    uint32_t count;
};

/* Of a tree in the order of mpdata_call_tree_sort(tree, column): the root, and
 * each node with at least `least` of that metric in all, below its caller; for
 * those that have less one row a caller, if that has it together. 0: all nodes.
 * Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_tree_rows_make(struct mpdata_tree_rows *rows,
                      const struct mpdata_call_tree *tree, size_t column,
                      uint64_t least);
void mpdata_tree_rows_fini(struct mpdata_tree_rows *rows);

/* What a row has in all. */
uint64_t mpdata_tree_rows_total(const struct mpdata_call_tree *tree,
                                const struct mpdata_tree_row *row,
                                size_t column);

#endif
