/* tree_rows.c -- converts a call tree to lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/tree_rows.h"
#include "profdata/base/vec.h"

/* Returns the number of siblings from `node` on that have a value; each is
 * below `least`. Returns 0 if their sum is below `least` too. */
static uint32_t count_rest(const struct mpdata_call_tree *tree, uint32_t node,
                           size_t column, uint64_t least)
{
    uint32_t count = 0;
    uint64_t sum = 0;

    for (; node != 0; node = tree->nodes[node].sibling) {
        const uint64_t value = mpdata_call_tree_total(tree, node, column);

        count += value != 0;
        sum = mprof_add_sat_u64(sum, value);
    }
    return sum >= least ? count : 0;
}

static bool is_last(const struct mpdata_call_tree *tree, uint32_t node,
                    size_t column, uint64_t least)
{
    const uint32_t next = tree->nodes[node].sibling;

    return next == 0 || (mpdata_call_tree_total(tree, next, column) < least &&
                         count_rest(tree, next, column, least) == 0);
}

enum mprof_err mpdata_tree_rows_make(struct mpdata_tree_rows *rows,
                                     const struct mpdata_call_tree *tree,
                                     size_t column, uint64_t least)
{
    struct mpdata_vec vec = {.elem_bytes = sizeof(struct mpdata_tree_row)};
    struct mpdata_tree_row *row = mpdata_vec_push(&vec);
    uint32_t depth = 0;
    uint32_t at = 0;

    while (row != NULL && (at = mpdata_call_tree_next(tree, at, &depth)) != 0) {
        /* Siblings are sorted, largest first: after the first one below the
         * threshold, all are. */
        while (at != 0 && mpdata_call_tree_total(tree, at, column) < least) {
            const uint32_t folded = count_rest(tree, at, column, least);
            const uint32_t parent = tree->nodes[at].parent;

            if (folded != 0) {
                row = mpdata_vec_push(&vec);
                if (row == NULL)
                    break;
                *row = (struct mpdata_tree_row){
                    .node = at,
                    .depth = depth,
                    .folded = folded,
                    .is_only = tree->nodes[parent].child == at,
                    .is_last = true};
            }
            depth--;
            at = mpdata_call_tree_skip(tree, parent, &depth);
        }
        if (at == 0 || row == NULL)
            break;
        row = mpdata_vec_push(&vec);
        if (row == NULL)
            break;
        *row = (struct mpdata_tree_row){.node = at, .depth = depth};
        row->is_last = is_last(tree, at, column, least);
        row->is_only =
            row->is_last && tree->nodes[tree->nodes[at].parent].child == at;
    }
    rows->rows = vec.data;
    rows->count = vec.count;
    return row != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_tree_rows_fini(struct mpdata_tree_rows *rows)
{
    struct mpdata_vec vec = {.data = rows->rows,
                             .elem_bytes = sizeof(*rows->rows)};

    mpdata_vec_fini(&vec);
    *rows = (struct mpdata_tree_rows){.rows = NULL};
}

uint64_t mpdata_tree_rows_total(const struct mpdata_call_tree *tree,
                                const struct mpdata_tree_row *row,
                                size_t column)
{
    uint64_t sum = mpdata_call_tree_total(tree, row->node, column);
    uint32_t at = row->node;

    for (uint32_t i = 1; i < row->folded; i++) {
        at = tree->nodes[at].sibling;
        sum = mprof_add_sat_u64(sum, mpdata_call_tree_total(tree, at, column));
    }
    return sum;
}
