/* prune.c -- a smaller profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/prune.h"
#include "profdata/base/vec.h"
#include "shared/index_format.h"

#include <stdlib.h>

/* The innermost frames of a stack, as a stack of the same profile. */
static mpdata_ref cut_stack(struct mpdata_profile *profile, mpdata_ref node,
                            uint32_t *frames, uint32_t depth_max, bool *is_cut)
{
    uint32_t depth = 0;
    mpdata_ref cut = 0;

    for (mpdata_ref up = node; up != 0 && depth < depth_max;) {
        const struct mpdata_node *n =
            &mpdata_profile_view(profile).nodes[up - 1];

        frames[depth++] = n->frame;
        up = n->parent;
        *is_cut = up != 0;
    }
    if (!*is_cut)
        return node;
    while (depth > 0)
        cut = mpdata_profile_node(profile, cut, frames[--depth] + 1);
    return cut;
}

/* Everything of `from` but its contexts, whose arrays keep their numbers: they
 * are added in order to an empty profile. */
static struct mpdata_profile *copy_rest(const struct mpdata_profile *from)
{
    struct mpdata_profile *copy = mpdata_profile_new();

    if (copy != NULL && mpdata_profile_merge_rest(copy, from) != MPROF_E_OK) {
        mpdata_profile_free(copy);
        copy = NULL;
    }
    return copy;
}

/* Frees the profile; its canonical form, or NULL. */
static struct mpdata_profile *finish(struct mpdata_profile *profile)
{
    struct mpdata_profile *canonical = NULL;

    if (mpdata_profile_status(profile) == MPROF_E_OK)
        canonical = mpdata_profile_canonical(profile);
    mpdata_profile_free(profile);
    return canonical;
}

/* Of a cut stack LLVM's records say nothing any more. */
static uint32_t cut_flags(uint32_t flags, bool is_cut)
{
    return is_cut
               ? (flags & ~MPROF_CONTEXT_FL_LISTED) | MPROF_CONTEXT_FL_TRUNCATED
               : flags;
}

static struct mpdata_profile *cut_stacks(const struct mpdata_profile *from,
                                         uint32_t depth_max,
                                         struct mpdata_pruned *pruned)
{
    const struct mpdata_view view = mpdata_profile_view(from);
    const uint32_t depth =
        depth_max < view.node_count ? depth_max : view.node_count;
    uint32_t *frames = mpdata_vec_array(depth, sizeof(*frames));
    struct mpdata_profile *copy = frames != NULL ? copy_rest(from) : NULL;

    for (uint32_t i = 0; copy != NULL && i < view.context_count; i++) {
        const struct mpdata_context *c = &view.contexts[i];
        const struct mprof_mib mib = mpdata_view_mib(&view, i);
        bool is_cut = false;
        const mpdata_ref node =
            cut_stack(copy, c->node, frames, depth, &is_cut);

        pruned->cut_stacks += is_cut;
        mpdata_profile_context(copy, node, cut_flags(c->flags, is_cut), &mib,
                               c->cells);
    }
    free(frames);
    return copy != NULL ? finish(copy) : NULL;
}

/* For each function: is it one that is asked for? */
static uint8_t *find_functions(const struct mpdata_view *view,
                               const struct mpdata_prune *prune)
{
    uint8_t *is_asked = mpdata_vec_array(view->function_count, 1);

    for (uint32_t i = 0; is_asked != NULL && i < view->function_count; i++) {
        const struct mpdata_function *f = &view->functions[i];

        is_asked[i] =
            prune->function == NULL ||
            prune->function(prune->context, &view->strings[f->name], f->guid);
    }
    return is_asked;
}

/* For each node: is such a function on the way to the root? Parents come
 * first. */
static uint8_t *find_nodes(const struct mpdata_view *view,
                           const uint8_t *is_asked)
{
    uint8_t *has = mpdata_vec_array((size_t)view->node_count + 1, 1);

    for (uint32_t i = 0; has != NULL && i < view->node_count; i++) {
        const struct mpdata_node *n = &view->nodes[i];
        const mpdata_ref function = view->frames[n->frame].function;

        has[i + 1] =
            has[n->parent] || (function != 0 && is_asked[function - 1] != 0);
    }
    return has;
}

static struct mpdata_profile *choose(const struct mpdata_profile *from,
                                     const struct mpdata_prune *prune,
                                     const uint8_t *has_function,
                                     struct mpdata_pruned *pruned)
{
    const struct mpdata_view view = mpdata_profile_view(from);
    struct mpdata_profile *copy = copy_rest(from);
    uint64_t kept = 0;

    for (uint32_t i = 0; copy != NULL && i < view.context_count; i++) {
        const struct mpdata_context *c = &view.contexts[i];
        const struct mprof_mib mib = mpdata_view_mib(&view, i);

        pruned->contexts++;
        pruned->bytes = mprof_add_sat_u64(pruned->bytes, mib.TotalSize);
        if ((prune->function == NULL || has_function[c->node]) &&
            mib.TotalSize >= prune->bytes_min &&
            (prune->contexts_max == 0 || kept < prune->contexts_max)) {
            mpdata_profile_context(copy, c->node, c->flags, &mib, c->cells);
            kept++;
            continue;
        }
        pruned->gone_contexts++;
        pruned->gone_bytes =
            mprof_add_sat_u64(pruned->gone_bytes, mib.TotalSize);
    }
    return copy != NULL ? finish(copy) : NULL;
}

struct mpdata_profile *
mpdata_prune_profile(const struct mpdata_profile *canonical,
                     const struct mpdata_prune *prune,
                     struct mpdata_pruned *pruned)
{
    const struct mpdata_profile *from = canonical;
    struct mpdata_profile *cut = NULL;
    struct mpdata_profile *chosen = NULL;
    struct mpdata_view view;
    uint8_t *is_asked = NULL;
    uint8_t *has_function = NULL;

    *pruned = (struct mpdata_pruned){.contexts = 0};
    if (prune->depth_max != 0) {
        cut = cut_stacks(canonical, prune->depth_max, pruned);
        if (cut == NULL)
            return NULL;
        from = cut;
    }
    view = mpdata_profile_view(from);
    is_asked = find_functions(&view, prune);
    if (is_asked != NULL)
        has_function = find_nodes(&view, is_asked);
    if (has_function != NULL)
        chosen = choose(from, prune, has_function, pruned);
    free(has_function);
    free(is_asked);
    mpdata_profile_free(cut);
    return chosen;
}
