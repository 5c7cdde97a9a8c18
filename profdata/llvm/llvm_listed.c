/* llvm_listed.c -- sites that a file's records list: collected, and kept where
 * they do not follow from the call stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/llvm_listed.h"
#include "profdata/llvm/llvm_records.h"
#include "shared/index_format.h"

#include <stdlib.h>

/* -- from profiles ----------------------------------------------------------- */

void mpdata_llvm_listed_init(struct mpdata_llvm_listing *map,
                             struct mpdata_llvm_sites *sites)
{
    *map = (struct mpdata_llvm_listing){
        .sites = sites,
        .stacks = {.elem_bytes = sizeof(uint32_t)},
        .scratch = {.elem_bytes = sizeof(uint32_t)}};
}

void mpdata_llvm_listed_fini(struct mpdata_llvm_listing *map)
{
    mpdata_vec_fini(&map->stacks);
    mpdata_vec_fini(&map->scratch);
}

/* The stack of a node in *stack. Goes up to a node that is known, and down
 * again. */
static bool find_stack(struct mpdata_llvm_listing *map,
                       const struct mpdata_view *view, mpdata_ref node,
                       uint32_t *stack)
{
    uint32_t *stacks;

    *stack = 0;
    if (node == 0)
        return true;
    while (map->stacks.count < view->node_count) {
        if (mpdata_vec_push(&map->stacks) == NULL)
            return false;
    }
    stacks = map->stacks.data;
    map->scratch.count = 0;
    for (; node != 0 && stacks[node - 1] == 0;
         node = view->nodes[node - 1].parent) {
        uint32_t *row = mpdata_vec_push(&map->scratch);

        if (row == NULL)
            return false;
        *row = node;
    }
    *stack = node != 0 ? stacks[node - 1] : 0;
    for (uint32_t i = map->scratch.count; i-- > 0;) {
        const uint32_t at = ((const uint32_t *)map->scratch.data)[i] - 1;
        const struct mpdata_frame *e = &view->frames[view->nodes[at].frame];
        const struct mpdata_llvm_frame frame =
            mpdata_llvm_records_frame(view, e);

        *stack = mpdata_llvm_sites_extend(map->sites, *stack, &frame);
        if (*stack == 0)
            return false;
        stacks[at] = *stack;
    }
    return true;
}

bool mpdata_llvm_listed_add(struct mpdata_llvm_listing *map,
                            const struct mpdata_view *view, mpdata_ref node,
                            enum mpdata_llvm_site_kind kind, uint64_t guid,
                            uint64_t callee)
{
    uint32_t stack;

    if (!find_stack(map, view, node, &stack))
        return false;
    /* A context of which nothing is known is in no record of ours. */
    return (kind == MPDATA_LLVM_SITE_ALLOC && stack == 0) ||
           mpdata_llvm_sites_add(map->sites, kind, guid, stack, callee);
}

/* Do these follow from the call stacks of the profile, and nothing else? */
static enum mprof_err compare(struct mpdata_llvm_sites *sites,
                              const struct mpdata_profile *profile,
                              bool *follow)
{
    struct mpdata_llvm_records r;
    enum mprof_err err = mpdata_llvm_records_init(&r, profile, NULL);
    const struct mpdata_llvm_site *allocs = r.alloc_sites.data;
    const struct mpdata_llvm_site *calls = r.call_sites.data;
    const struct mpdata_llvm_context *contexts = r.contexts.data;
    const uint64_t *guids = r.functions.rows.data;
    uint32_t *stacks = mpdata_vec_array(r.nodes.rows.count, sizeof(*stacks));

    if (err == MPROF_E_OK &&
        (stacks == NULL ||
         !mpdata_llvm_sites_map(&r.frames.rows, &r.nodes.rows, sites, stacks)))
        err = MPROF_E_NOMEM;
    /* As many, all of them there: the same. */
    *follow = err == MPROF_E_OK &&
              r.alloc_sites.count + (uint64_t)r.call_sites.count ==
                  sites->sites.rows.count;
    for (uint32_t i = 0; *follow && i < r.alloc_sites.count; i++)
        *follow = mpdata_llvm_sites_has(sites, MPDATA_LLVM_SITE_ALLOC,
                                        guids[allocs[i].function],
                                        stacks[contexts[allocs[i].id].node]);
    for (uint32_t i = 0; *follow && i < r.call_sites.count; i++)
        *follow = mpdata_llvm_sites_has(sites, MPDATA_LLVM_SITE_CALL,
                                        guids[calls[i].function],
                                        stacks[calls[i].id]);
    free(stacks);
    mpdata_llvm_records_fini(&r);
    return err;
}

static struct mpdata_profile *mark(const struct mpdata_profile *profile)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_profile *copy = mpdata_profile_new();

    if (copy == NULL ||
        mpdata_profile_merge_rest(copy, profile) != MPROF_E_OK) {
        mpdata_profile_free(copy);
        return NULL;
    }
    for (uint32_t i = 0; i < view.context_count; i++) {
        const struct mpdata_context *c = &view.contexts[i];
        const struct mprof_mib mib = mpdata_view_mib(&view, i);

        mpdata_profile_context(
            copy, c->node, c->flags | MPROF_CONTEXT_FL_LISTED, &mib, c->cells);
    }
    return copy;
}

enum mprof_err mpdata_llvm_listed_keep(struct mpdata_llvm_sites *listed,
                                       struct mpdata_profile **profile,
                                       struct mpdata_llvm_sites *sites)
{
    struct mpdata_profile *marked;
    bool follow = true;
    enum mprof_err err = compare(listed, *profile, &follow);

    if (err != MPROF_E_OK || follow)
        return err;
    marked = mark(*profile);
    if (marked == NULL)
        return MPROF_E_NOMEM;
    mpdata_profile_free(*profile);
    *profile = marked;
    return mpdata_llvm_sites_merge(sites, listed);
}
