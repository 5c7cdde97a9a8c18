/* types.c -- the type that a call stack allocates: that of the innermost call
 * whose type the compiler recorded, or the kind of object that a virtual
 * machine told.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frames.h"

static bool is_kind(const struct mpdata_view *view, mpdata_ref function)
{
    return function != 0 &&
           mpdata_profile_is_kind(
               &view->strings[view->functions[function - 1].name]);
}

mpdata_ref mpdata_types_node(const struct mpdata_view *view, mpdata_ref leaf)
{
    mpdata_ref node = leaf;

    for (int i = 0; i < MPDATA_TYPES_KIND_DEPTH && node != 0; i++) {
        const struct mpdata_node *const n = &view->nodes[node - 1];
        const struct mpdata_frame *const frame = &view->frames[n->frame];

        if (frame->type != 0 &&
            (i < MPDATA_TYPES_DEPTH || is_kind(view, frame->function)))
            return node;
        node = n->parent;
    }
    return 0;
}

/* Returns the frame of that call, or NULL. */
static const struct mpdata_frame *find(const struct mpdata_view *view,
                                       mpdata_ref leaf)
{
    const mpdata_ref node = mpdata_types_node(view, leaf);

    return node != 0 ? &view->frames[view->nodes[node - 1].frame] : NULL;
}

mpdata_string mpdata_types_of(const struct mpdata_view *view, mpdata_ref leaf)
{
    const struct mpdata_frame *const frame = find(view, leaf);

    return frame != NULL ? frame->type : 0;
}

uint32_t mpdata_types_bytes(const struct mpdata_view *view, mpdata_ref leaf)
{
    const struct mpdata_frame *const frame = find(view, leaf);

    return frame != NULL ? frame->type_bytes : 0;
}

mpdata_string mpdata_types_fields(const struct mpdata_view *view,
                                  mpdata_ref leaf)
{
    const struct mpdata_frame *const frame = find(view, leaf);

    return frame != NULL ? frame->type_fields : 0;
}
