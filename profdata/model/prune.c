/* prune.c -- a smaller profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/prune.h"
#include "profdata/base/vec.h"
#include "shared/index_format.h"
#include "shared/part_format.h"

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

/* The profile in canonical form, or NULL; then it is freed. */
static struct mpdata_profile *finish(struct mpdata_profile *profile)
{
    if (mpdata_profile_canonical_in_place(profile) == MPROF_E_OK)
        return profile;
    mpdata_profile_free(profile);
    return NULL;
}

struct mpdata_profile *
mpdata_prune_to_parts(const struct mpdata_profile *canonical, uint32_t kind)
{
    const struct mpdata_view view = mpdata_profile_view(canonical);
    struct mpdata_profile *const copy = copy_rest(canonical);

    for (uint32_t i = 0; copy != NULL && i < view.part_count; i++) {
        const struct mpdata_part *const part = &view.parts[i];
        const struct mprof_mib mib = mpdata_view_part_mib(&view, i);

        if (part->kind != kind)
            continue;
        mpdata_profile_context(copy, part->node,
                               part->flags | MPROF_CONTEXT_FL_NOT_MEASURED,
                               &mib, MPDATA_CELLS_NONE);
        mpdata_profile_part(copy, part, &mib);
    }
    return copy != NULL ? finish(copy) : NULL;
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
    for (uint32_t i = 0; copy != NULL && i < view.detail_count; i++) {
        struct mpdata_detail detail = view.details[i];
        bool is_cut;

        detail.node = cut_stack(copy, detail.node, frames, depth, &is_cut);
        if (mprof_detail_is_stack(detail.kind))
            detail.key = cut_stack(copy, detail.key, frames, depth, &is_cut);
        mpdata_profile_detail(copy, &detail);
    }
    for (uint32_t i = 0; copy != NULL && i < view.part_count; i++) {
        const struct mprof_mib mib = mpdata_view_part_mib(&view, i);
        struct mpdata_part part = view.parts[i];
        bool is_cut = false;

        part.node = cut_stack(copy, part.node, frames, depth, &is_cut);
        part.flags = cut_flags(part.flags, is_cut);
        mpdata_profile_part(copy, &part, &mib);
    }
    free(frames);
    return copy != NULL ? finish(copy) : NULL;
}

/* What is known of a frame, or of all frames up to the root. */
enum {
    WANTED_FUNCTION = 1,
    WANTED_FILE = 2,
    UNWANTED = 4,
    IS_KNOWN = 8 /* so it was asked */
};

/* What must be on the way to the root. */
static uint8_t required(const struct mpdata_prune *prune)
{
    return (uint8_t)((prune->wanted.function != NULL ? WANTED_FUNCTION : 0) |
                     (prune->wanted.file != NULL ? WANTED_FILE : 0));
}

static uint8_t ask_function(const struct mpdata_view *view,
                            const struct mpdata_prune *prune,
                            mpdata_ref function)
{
    const struct mpdata_function *const f = &view->functions[function - 1];
    const struct mpdata_str *const name = &view->strings[f->name];
    uint8_t bits = IS_KNOWN;

    if (prune->wanted.function != NULL &&
        prune->wanted.function(prune->context, name, f->guid))
        bits |= WANTED_FUNCTION;
    if (prune->unwanted.function != NULL &&
        prune->unwanted.function(prune->context, name, f->guid))
        bits |= UNWANTED;
    return bits;
}

/* 0 without memory. */
static uint8_t ask_file(const struct mpdata_profile *profile,
                        const struct mpdata_prune *prune, mpdata_ref path)
{
    uint8_t bits = IS_KNOWN;
    char *text;

    if (prune->wanted.file == NULL && prune->unwanted.file == NULL)
        return bits;
    text = mpdata_profile_path_string(profile, path, NULL);
    if (text == NULL)
        return 0;
    if (prune->wanted.file != NULL && prune->wanted.file(prune->context, text))
        bits |= WANTED_FILE;
    if (prune->unwanted.file != NULL &&
        prune->unwanted.file(prune->context, text))
        bits |= UNWANTED;
    free(text);
    return bits;
}

/* For each frame what is known of it; each function and file is asked about
 * once. NULL without memory. */
static uint8_t *ask_frames(const struct mpdata_profile *profile,
                           const struct mpdata_prune *prune)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    uint8_t *frames = mpdata_vec_array(view.frame_count, 1);
    uint8_t *functions = mpdata_vec_array((size_t)view.function_count + 1, 1);
    uint8_t *files = mpdata_vec_array((size_t)view.path_count + 1, 1);
    bool done = frames != NULL && functions != NULL && files != NULL;

    for (uint32_t i = 0; done && i < view.frame_count; i++) {
        const struct mpdata_frame *const f = &view.frames[i];

        if (f->function != 0 && functions[f->function] == 0)
            functions[f->function] = ask_function(&view, prune, f->function);
        if (f->path != 0 && files[f->path] == 0)
            files[f->path] = ask_file(profile, prune, f->path);
        done = f->path == 0 || files[f->path] != 0;
        frames[i] = functions[f->function] | files[f->path];
    }
    free(functions);
    free(files);
    if (done)
        return frames;
    free(frames);
    return NULL;
}

/* For each node, + 1: what is on the way to the root? Parents come first. */
static uint8_t *find_nodes(const struct mpdata_view *view,
                           const uint8_t *frames)
{
    uint8_t *has = mpdata_vec_array((size_t)view->node_count + 1, 1);

    for (uint32_t i = 0; has != NULL && i < view->node_count; i++) {
        const struct mpdata_node *n = &view->nodes[i];

        has[i + 1] = has[n->parent] | frames[n->frame];
    }
    return has;
}

static bool has_wanted(const struct mpdata_prune *prune, uint8_t has)
{
    const uint8_t wanted = required(prune);

    return (has & wanted) == wanted && (has & UNWANTED) == 0;
}

static bool is_kept(const struct mpdata_prune *prune, uint8_t has,
                    const struct mprof_mib *mib, uint32_t flags, uint64_t kept)
{
    return has_wanted(prune, has) && mib->TotalSize >= prune->bytes_min &&
           (prune->keeps == NULL || prune->keeps(prune->context, mib, flags)) &&
           (prune->contexts_max == 0 || kept < prune->contexts_max);
}

/* What became of the context of a node, if it has one. */
enum node_fate { NODE_KEPT = 1, NODE_GONE };

/* Of stacks that are kept. What is not wanted is not named either. */
static void choose_details(struct mpdata_profile *copy,
                           const struct mpdata_view *view, const uint8_t *has,
                           const uint8_t *fates)
{
    for (uint32_t i = 0; i < view->detail_count; i++) {
        struct mpdata_detail detail = view->details[i];

        if (fates[detail.node] != NODE_KEPT)
            continue;
        if (mprof_detail_is_stack(detail.kind) &&
            (has[detail.key] & UNWANTED) != 0)
            detail.key = 0;
        mpdata_profile_detail(copy, &detail);
    }
}

/* What threads allocated goes with what all did, and parts that were made
 * contexts with these; of others the stack tells. */
static void choose_parts(struct mpdata_profile *copy,
                         const struct mpdata_view *view,
                         const struct mpdata_prune *prune, const uint8_t *has,
                         const uint8_t *fates)
{
    const uint32_t going =
        prune->of_parts != 0 ? prune->of_parts : MPROF_PART_THREAD;

    for (uint32_t i = 0; i < view->part_count; i++) {
        const struct mpdata_part *const part = &view->parts[i];
        const struct mprof_mib mib = mpdata_view_part_mib(view, i);

        if (has_wanted(prune, has[part->node]) &&
            (part->kind != going || fates[part->node] != NODE_GONE))
            mpdata_profile_part(copy, part, &mib);
    }
}

static struct mpdata_profile *choose(const struct mpdata_profile *from,
                                     const struct mpdata_prune *prune,
                                     const uint8_t *has,
                                     struct mpdata_pruned *pruned)
{
    const struct mpdata_view view = mpdata_profile_view(from);
    uint8_t *const fates =
        (uint8_t *)mpdata_vec_array((size_t)view.node_count + 1, 1);
    struct mpdata_profile *copy = fates != NULL ? copy_rest(from) : NULL;
    uint64_t kept = 0;

    for (uint32_t i = 0; copy != NULL && i < view.context_count; i++) {
        const struct mpdata_context *c = &view.contexts[i];
        const struct mprof_mib mib = mpdata_view_mib(&view, i);

        pruned->contexts++;
        pruned->bytes = mprof_add_sat_u64(pruned->bytes, mib.TotalSize);
        if (is_kept(prune, has[c->node], &mib, c->flags, kept)) {
            mpdata_profile_context(copy, c->node, c->flags, &mib, c->cells);
            fates[c->node] = NODE_KEPT;
            kept++;
            continue;
        }
        fates[c->node] = NODE_GONE;
        pruned->gone_contexts++;
        pruned->gone_bytes =
            mprof_add_sat_u64(pruned->gone_bytes, mib.TotalSize);
    }
    if (copy != NULL) {
        choose_details(copy, &view, has, fates);
        choose_parts(copy, &view, prune, has, fates);
    }
    free(fates);
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
    uint8_t *frames = NULL;
    uint8_t *has = NULL;

    *pruned = (struct mpdata_pruned){.contexts = 0};
    if (prune->depth_max != 0) {
        cut = cut_stacks(canonical, prune->depth_max, pruned);
        if (cut == NULL)
            return NULL;
        from = cut;
    }
    view = mpdata_profile_view(from);
    frames = ask_frames(from, prune);
    if (frames != NULL)
        has = find_nodes(&view, frames);
    if (has != NULL)
        chosen = choose(from, prune, has, pruned);
    free(has);
    free(frames);
    mpdata_profile_free(cut);
    return chosen;
}
