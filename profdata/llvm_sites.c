/* llvm_sites.c -- what LLVM's records list beside what follows from call
 * stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm_sites.h"
#include "shared/container.h"
#include "shared/index_format.h"

#include <stdlib.h>

static uint64_t hash_site(const void *key)
{
    const struct mpdata_llvm_listed *s = key;
    const uint64_t words[] = {s->guid, s->callee,
                              (uint64_t)s->stack << 32 | s->kind};

    return mprof_checksum(words, sizeof(words));
}

static bool equal_site(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_llvm_listed *a =
        (const struct mpdata_llvm_listed *)rows + row;
    const struct mpdata_llvm_listed *b = key;

    return a->guid == b->guid && a->callee == b->callee &&
           a->stack == b->stack && a->kind == b->kind;
}

static const struct mpdata_set_kind site_kind = {
    hash_site, equal_site, sizeof(struct mpdata_llvm_listed)};

void mpdata_llvm_sites_init(struct mpdata_llvm_sites *sites)
{
    mpdata_set_init(&sites->frames, &mpdata_llvm_frame_kind);
    mpdata_set_init(&sites->nodes, &mpdata_llvm_node_kind);
    mpdata_set_init(&sites->sites, &site_kind);
}

void mpdata_llvm_sites_fini(struct mpdata_llvm_sites *sites)
{
    mpdata_set_fini(&sites->frames);
    mpdata_set_fini(&sites->nodes);
    mpdata_set_fini(&sites->sites);
}

bool mpdata_llvm_sites_has_callees(const struct mpdata_llvm_sites *sites)
{
    const struct mpdata_llvm_listed *rows = sites->sites.rows.data;

    for (uint32_t i = 0; i < sites->sites.rows.count; i++) {
        if (rows[i].kind == MPDATA_LLVM_SITE_CALLEE)
            return true;
    }
    return false;
}

/* A frame under a stack: the longer stack, or 0 without memory. */
static uint32_t extend(struct mpdata_llvm_sites *sites, uint32_t stack,
                       const struct mpdata_llvm_frame *frame)
{
    const uint32_t ref = mpdata_set_add(&sites->frames, frame, NULL);
    const struct mpdata_llvm_node node = {.parent = stack, .frame = ref - 1};

    return ref != 0 ? mpdata_set_add(&sites->nodes, &node, NULL) : 0;
}

static bool add_site(struct mpdata_llvm_sites *sites,
                     enum mpdata_llvm_site_kind kind, uint64_t guid,
                     uint32_t stack, uint64_t callee)
{
    const struct mpdata_llvm_listed site = {
        .guid = guid, .callee = callee, .stack = stack, .kind = kind};

    return mpdata_set_add(&sites->sites, &site, NULL) != 0;
}

static bool has_site(const struct mpdata_llvm_sites *sites,
                     enum mpdata_llvm_site_kind kind, uint64_t guid,
                     uint32_t stack)
{
    const struct mpdata_llvm_listed site = {
        .guid = guid, .stack = stack, .kind = kind};

    return mpdata_map_find(&sites->sites.map, hash_site(&site), equal_site,
                           sites->sites.rows.data, &site) != 0;
}

/* -- from profiles ----------------------------------------------------------- */

void mpdata_llvm_sites_map_init(struct mpdata_llvm_sites_map *map,
                                struct mpdata_llvm_sites *sites)
{
    *map = (struct mpdata_llvm_sites_map){
        .sites = sites,
        .stacks = {.elem_bytes = sizeof(uint32_t)},
        .scratch = {.elem_bytes = sizeof(uint32_t)}};
}

void mpdata_llvm_sites_map_fini(struct mpdata_llvm_sites_map *map)
{
    mpdata_vec_fini(&map->stacks);
    mpdata_vec_fini(&map->scratch);
}

/* The stack of a node in *stack. Goes up to a node that is known, and down
 * again. */
static bool find_stack(struct mpdata_llvm_sites_map *map,
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
        const struct mpdata_entry *e = &view->entries[view->nodes[at].entry];
        const struct mpdata_llvm_frame frame = mpdata_llvm_frame_of(view, e);

        *stack = extend(map->sites, *stack, &frame);
        if (*stack == 0)
            return false;
        stacks[at] = *stack;
    }
    return true;
}

bool mpdata_llvm_sites_add(struct mpdata_llvm_sites_map *map,
                           const struct mpdata_view *view, mpdata_ref node,
                           enum mpdata_llvm_site_kind kind, uint64_t guid,
                           uint64_t callee)
{
    uint32_t stack;

    if (!find_stack(map, view, node, &stack))
        return false;
    /* A context of which nothing is known is in no record of ours. */
    return (kind == MPDATA_LLVM_SITE_ALLOC && stack == 0) ||
           add_site(map->sites, kind, guid, stack, callee);
}

/* -- between each other ------------------------------------------------------ */

/* stacks[i]: what node i of another forest is here. */
static bool map_nodes(const struct mpdata_set *frames,
                      const struct mpdata_set *nodes,
                      struct mpdata_llvm_sites *into, uint32_t *stacks)
{
    const struct mpdata_llvm_frame *frame = frames->rows.data;
    const struct mpdata_llvm_node *node = nodes->rows.data;

    for (uint32_t i = 0; i < nodes->rows.count; i++) {
        const uint32_t up = node[i].parent;

        stacks[i] =
            extend(into, up != 0 ? stacks[up - 1] : 0, &frame[node[i].frame]);
        if (stacks[i] == 0)
            return false;
    }
    return true;
}

enum mprof_err mpdata_llvm_sites_merge(struct mpdata_llvm_sites *into,
                                       const struct mpdata_llvm_sites *from)
{
    const struct mpdata_llvm_listed *s = from->sites.rows.data;
    uint32_t *stacks =
        mpdata_vec_array(from->nodes.rows.count, sizeof(*stacks));
    bool is_done =
        stacks != NULL && map_nodes(&from->frames, &from->nodes, into, stacks);

    for (uint32_t i = 0; i < from->sites.rows.count && is_done; i++)
        is_done =
            add_site(into, s[i].kind, s[i].guid,
                     s[i].stack != 0 ? stacks[s[i].stack - 1] : 0, s[i].callee);
    free(stacks);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
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
    uint32_t *stacks = mpdata_vec_array(r.nodes.rows.count, sizeof(*stacks));

    if (err == MPROF_E_OK &&
        (stacks == NULL || !map_nodes(&r.frames, &r.nodes, sites, stacks)))
        err = MPROF_E_NOMEM;
    /* As many, all of them there: the same. */
    *follow = err == MPROF_E_OK &&
              r.alloc_sites.count + (uint64_t)r.call_sites.count ==
                  sites->sites.rows.count;
    for (uint32_t i = 0; *follow && i < r.alloc_sites.count; i++)
        *follow = has_site(sites, MPDATA_LLVM_SITE_ALLOC, allocs[i].guid,
                           stacks[contexts[allocs[i].id].node]);
    for (uint32_t i = 0; *follow && i < r.call_sites.count; i++)
        *follow = has_site(sites, MPDATA_LLVM_SITE_CALL, calls[i].guid,
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

        mpdata_profile_context(copy, c->node,
                               c->flags | MPROF_CONTEXT_FL_LISTED, &c->mib,
                               c->cells);
    }
    return copy;
}

enum mprof_err mpdata_llvm_sites_keep(struct mpdata_llvm_sites *listed,
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
