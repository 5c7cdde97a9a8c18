/* types.c -- the type of a call stack: that of the call which is nearest to the
 * allocation, among those whose type the compiler saw.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/types.h"

mpdata_string mpdata_types_of(const struct mpdata_view *view, mpdata_ref leaf)
{
    mpdata_ref node = leaf;

    for (int i = 0; i < MPDATA_TYPES_DEPTH && node != 0; i++) {
        const struct mpdata_node *const n = &view->nodes[node - 1];
        const mpdata_string type = view->frames[n->frame].type;

        if (type != 0)
            return type;
        node = n->parent;
    }
    return 0;
}
