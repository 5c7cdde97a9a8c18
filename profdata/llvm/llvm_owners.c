/* llvm_owners.c -- which of LLVM's records gives a context.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/llvm_owners.h"
#include "profdata/llvm/llvm_records.h"
#include "shared/index_format.h"

struct owner {
    uint64_t guid;
    bool is_set;
    bool is_leaf; /* it is the leaf's function */
};

void mpdata_llvm_owners_init(struct mpdata_llvm_owners *owners)
{
    *owners = (struct mpdata_llvm_owners){
        .rows = {.elem_bytes = sizeof(struct owner)}};
}

void mpdata_llvm_owners_fini(struct mpdata_llvm_owners *owners)
{
    mpdata_vec_fini(&owners->rows);
}

static uint64_t guid_of_node(const struct mpdata_view *view, mpdata_ref node)
{
    const uint32_t frame = view->nodes[node - 1].frame;

    return view->functions[view->frames[frame].function - 1].guid;
}

uint32_t mpdata_llvm_owners_listings(const struct mpdata_view *view,
                                     mpdata_ref node, uint64_t guid)
{
    uint32_t count = 0;

    for (int i = 0; node != 0 && i < MPDATA_LLVM_LOCATION_FRAMES_MAX; i++) {
        const struct mpdata_node *n = &view->nodes[node - 1];

        count += guid_of_node(view, node) == guid;
        if ((view->frames[n->frame].flags & MPROF_ENTRY_FL_INLINE) == 0)
            break;
        node = n->parent;
    }
    return count;
}

enum mprof_err mpdata_llvm_owners_add(struct mpdata_llvm_owners *owners,
                                      const struct mpdata_view *view,
                                      mpdata_ref node, uint64_t guid)
{
    const bool is_leaf = node == 0 || guid_of_node(view, node) == guid;
    struct owner *owner;

    while (owners->rows.count <= node) {
        if (mpdata_vec_push(&owners->rows) == NULL)
            return MPROF_E_NOMEM;
    }
    owner = (struct owner *)owners->rows.data + node;
    if (!owner->is_set || is_leaf || (!owner->is_leaf && guid < owner->guid))
        *owner =
            (struct owner){.guid = guid, .is_set = true, .is_leaf = is_leaf};
    return MPROF_E_OK;
}

bool mpdata_llvm_owners_gives(const struct mpdata_llvm_owners *owners,
                              mpdata_ref node, uint64_t guid)
{
    return ((const struct owner *)owners->rows.data)[node].guid == guid;
}
