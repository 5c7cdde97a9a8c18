/* prune.c -- makes a profile smaller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/prune.h"
#include "profdata/model/profile_store.h"
#include "profdata/base/vec.h"
#include "shared/index_format.h"
#include "shared/tag_format.h"

#include <stdlib.h>
#include <string.h>

/* Copies everything but contexts and tagged rows. Indices stay the same,
 * because rows are added in order to an empty profile. */
static struct mpdata_profile *copy_rest(const struct mpdata_profile *from)
{
    struct mpdata_profile *copy = mpdata_profile_new();

    if (copy != NULL && mpdata_profile_merge_rest(copy, from) != MPROF_E_OK) {
        mpdata_profile_free(copy);
        copy = NULL;
    }
    return copy;
}

/* Makes the profile canonical; frees it and returns NULL on failure. */
static struct mpdata_profile *finish(struct mpdata_profile *profile)
{
    if (mpdata_profile_canonical_in_place(profile) == MPROF_E_OK)
        return profile;
    mpdata_profile_free(profile);
    return NULL;
}

struct mpdata_profile *
mpdata_prune_to_tagged(const struct mpdata_profile *canonical, uint32_t kind)
{
    const struct mpdata_view view = mpdata_profile_view(canonical);
    struct mpdata_profile *const copy = copy_rest(canonical);

    for (uint32_t i = 0; copy != NULL && i < view.tagged_count; i++) {
        const struct mpdata_tagged *const tagged = &view.tagged_rows[i];
        const struct mprof_mib mib = mpdata_view_tagged_mib(&view, i);

        if (tagged->kind != kind)
            continue;
        mpdata_profile_context(copy, tagged->node,
                               tagged->flags | MPROF_CONTEXT_FL_NOT_MEASURED,
                               &mib, MPDATA_CELLS_NONE);
        mpdata_profile_tagged(copy, tagged, &mib);
    }
    return copy != NULL ? finish(copy) : NULL;
}

#define HIDDEN MPDATA_PRUNE_HIDDEN
#define IS_KNOWN 64 /* the caller was asked */

static uint8_t ask_function(const struct mpdata_view *view,
                            const struct mpdata_prune *prune,
                            mpdata_ref function)
{
    const struct mpdata_function *const f = &view->functions[function - 1];

    return prune->function != NULL
               ? IS_KNOWN | prune->function(prune->context,
                                            &view->strings[f->name], f->guid)
               : IS_KNOWN;
}

/* 0 when out of memory. */
static uint8_t ask_file(const struct mpdata_profile *profile,
                        const struct mpdata_prune *prune, mpdata_ref path)
{
    if (prune->file == NULL)
        return IS_KNOWN;
    char *const text = mpdata_profile_path_string(profile, path, NULL);
    const uint8_t bits =
        text != NULL ? IS_KNOWN | prune->file(prune->context, text) : 0;

    free(text);
    return bits;
}

/* The path of the source file; of a frame without any name, its binary's. */
static mpdata_ref path_of(const struct mpdata_view *view,
                          const struct mpdata_frame *f)
{
    return f->function == 0 && f->path == 0 && f->binary != 0
               ? view->binaries[f->binary - 1].path
               : f->path;
}

/* Finds the bits of each frame. NULL when out of memory. */
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
        const mpdata_ref path = path_of(&view, f);

        if (f->function != 0 && functions[f->function] == 0)
            functions[f->function] = ask_function(&view, prune, f->function);
        if (path != 0 && files[path] == 0)
            files[path] = ask_file(profile, prune, path);
        done = path == 0 || files[path] != 0;
        frames[i] = functions[f->function] | files[path];
        if (path != f->path)
            frames[i] &= HIDDEN | IS_KNOWN;
    }
    free(functions);
    free(files);
    if (done)
        return frames;
    free(frames);
    return NULL;
}

/* State of cutting stacks while copying the profile; nodes and frames keep
 * their numbers in the copy. */
struct cutting {
    struct mpdata_view from;
    struct mpdata_profile *copy;
    uint32_t *stack; /* room for one stack */
    uint32_t depth_max;
};

static mpdata_ref cut_stack(const struct cutting *c, mpdata_ref node)
{
    mpdata_ref up = node;
    mpdata_ref cut = 0;
    uint32_t depth = 0;

    for (; up != 0 && depth < c->depth_max; up = c->from.nodes[up - 1].parent)
        c->stack[depth++] = c->from.nodes[up - 1].frame;
    if (up == 0)
        return node;
    while (depth > 0)
        cut = mpdata_profile_node(c->copy, cut, c->stack[--depth] + 1);
    return cut;
}

static uint32_t cut_flags(uint32_t flags, bool is_cut)
{
    return is_cut ? flags | MPROF_CONTEXT_FL_TRUNCATED : flags;
}

static void copy_cut(const struct cutting *c, struct mpdata_pruned *pruned)
{
    const struct mpdata_view *const view = &c->from;

    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mpdata_context *const context = &view->contexts[i];
        const struct mprof_mib mib = mpdata_view_mib(view, i);
        const mpdata_ref node = cut_stack(c, context->node);
        const bool is_cut = node != context->node;

        pruned->cut_stacks += is_cut;
        mpdata_profile_context(c->copy, node, cut_flags(context->flags, is_cut),
                               &mib, context->cells);
    }
    for (uint32_t i = 0; i < view->detail_count; i++) {
        struct mpdata_detail detail = view->details[i];

        detail.node = cut_stack(c, detail.node);
        if (mprof_detail_is_stack(detail.kind))
            detail.key = cut_stack(c, detail.key);
        mpdata_profile_detail(c->copy, &detail);
    }
    for (uint32_t i = 0; i < view->tagged_count; i++) {
        const struct mprof_mib mib = mpdata_view_tagged_mib(view, i);
        struct mpdata_tagged tagged = view->tagged_rows[i];

        tagged.node = cut_stack(c, tagged.node);
        tagged.flags =
            cut_flags(tagged.flags, tagged.node != view->tagged_rows[i].node);
        mpdata_profile_tagged(c->copy, &tagged, &mib);
    }
}

/* Replaces *profile by `other`, made canonical, unless that is NULL. */
static enum mprof_err replace(struct mpdata_profile **profile,
                              struct mpdata_profile *other)
{
    if (other != NULL)
        other = finish(other);
    if (other == NULL)
        return MPROF_E_NOMEM;
    mpdata_profile_free(*profile);
    *profile = other;
    return MPROF_E_OK;
}

/* Truncates call stacks to prune->depth_max frames. */
static enum mprof_err cut(struct mpdata_profile **profile,
                          const struct mpdata_prune *prune,
                          struct mpdata_pruned *pruned)
{
    struct cutting c = {.from = mpdata_profile_view(*profile)};

    c.depth_max = (uint32_t)mprof_min_u64(prune->depth_max, c.from.node_count);
    c.stack = mpdata_vec_array(c.depth_max, sizeof(*c.stack));
    c.copy = c.stack != NULL ? copy_rest(*profile) : NULL;
    if (c.copy != NULL)
        copy_cut(&c, pruned);
    free(c.stack);
    return replace(profile, c.copy);
}

/* Finds where stacks end, and where they continue, without the hidden frames.
 * Arrays by node ref; parents come first. */
static void find_callers(const struct mpdata_view *view,
                         const struct mpdata_prune *prune, const uint8_t *known,
                         mpdata_ref *callers, mpdata_ref *leaves)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const uint8_t bits = known[view->nodes[i].frame];
        const mpdata_ref parent = view->nodes[i].parent;

        leaves[i + 1] = (bits & HIDDEN) != 0 ? leaves[parent] : i + 1;
        callers[i + 1] = (bits & HIDDEN) != 0 ||
                                 (prune->starts != NULL && prune->starts[i + 1])
                             ? callers[parent]
                             : i + 1;
    }
    /* An end is a caller: from the last node on, its leaf is still its own. */
    for (uint32_t i = view->node_count; prune->ends != NULL && i > 0; i--)
        leaves[i] = leaves[prune->ends[i]];
}

enum mprof_err mpdata_prune_hide(struct mpdata_profile *profile,
                                 const struct mpdata_prune *prune)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const size_t count = (size_t)view.node_count + 1;
    uint8_t *const known = ask_frames(profile, prune);
    mpdata_ref *const callers = mpdata_vec_array(count, sizeof(*callers));
    mpdata_ref *const leaves = mpdata_vec_array(count, sizeof(*leaves));
    bool done = known != NULL && callers != NULL && leaves != NULL;

    if (done) {
        find_callers(&view, prune, known, callers, leaves);
        done = mpdata_profile_reparent(profile, callers, leaves);
    }
    free(known);
    free(callers);
    free(leaves);
    return done ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* The same for a canonical profile: adds up the stacks that become equal. */
static enum mprof_err hide(struct mpdata_profile **profile,
                           const struct mpdata_prune *prune)
{
    const enum mprof_err err = mpdata_prune_hide(*profile, prune);
    struct mpdata_profile *merged =
        err == MPROF_E_OK ? mpdata_profile_new() : NULL;

    if (merged != NULL &&
        mpdata_profile_merge(merged, *profile) != MPROF_E_OK) {
        mpdata_profile_free(merged);
        merged = NULL;
    }
    return replace(profile, merged);
}

/* Properties of the stack of each node, by ref. Parents come first. */
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
    return (has & prune->needed) == prune->needed &&
           (has & MPDATA_PRUNE_UNWANTED) == 0;
}

bool *mpdata_prune_nodes(const struct mpdata_profile *profile,
                         const struct mpdata_prune *prune)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    uint8_t *const frames = ask_frames(profile, prune);
    uint8_t *const has = frames != NULL ? find_nodes(&view, frames) : NULL;
    bool *const fits = mpdata_vec_array((size_t)view.node_count + 1, 1);

    for (uint32_t i = 0; has != NULL && fits != NULL && i <= view.node_count;
         i++)
        fits[i] = has_wanted(prune, has[i]);
    free(frames);
    free(has);
    if (has != NULL)
        return fits;
    free(fits);
    return NULL;
}

static bool has_room(const struct mpdata_prune *prune, uint64_t kept)
{
    return prune->contexts_max == 0 || kept < prune->contexts_max;
}

/* Was the context of a node kept? */
enum node_fate { NODE_KEPT = 1, NODE_GONE };

/* What to keep of a profile, and why. Owned. */
struct choice {
    const struct mpdata_prune *prune;
    struct mpdata_view view;
    uint8_t *has;      /* by node ref: properties of its stack */
    uint8_t *fates;    /* by node ref: enum node_fate of its context */
    uint8_t *contexts; /* by row: is it kept? */
    uint8_t *tagged_rows;
};

/* Does the caller's predicate keep context i? */
static bool asks(const struct choice *c, uint32_t i)
{
    return c->prune->keeps == NULL ||
           c->prune->keeps(c->prune->context, &c->view, i);
}

static void choose_contexts(struct choice *c, struct mpdata_pruned *pruned)
{
    const struct mpdata_prune *const prune = c->prune;
    uint64_t kept = 0;

    for (uint32_t i = 0; i < c->view.context_count; i++) {
        const struct mpdata_context *const of = &c->view.contexts[i];
        const uint64_t bytes =
            mpdata_view_mib_field(&c->view, i, MPROF_MIB_INDEX_TotalSize);
        const bool is_kept = has_room(prune, kept) &&
                             has_wanted(prune, c->has[of->node]) &&
                             bytes >= prune->bytes_min && asks(c, i);

        c->contexts[i] = is_kept;
        c->fates[of->node] = is_kept ? NODE_KEPT : NODE_GONE;
        kept += is_kept;
        pruned->contexts++;
        pruned->bytes = mprof_add_sat_u64(pruned->bytes, bytes);
        pruned->gone_contexts += !is_kept;
        if (!is_kept)
            pruned->gone_bytes = mprof_add_sat_u64(pruned->gone_bytes, bytes);
    }
}

/* Rows of threads are kept or removed with their contexts, like rows that
 * became contexts; for other rows the stack decides. Earlier rows LEFT_OUT
 * stay. */
static void choose_tagged_rows(struct choice *c)
{
    const struct mpdata_prune *const prune = c->prune;
    const uint32_t going =
        prune->of_tagged != 0 ? prune->of_tagged : MPROF_TAG_THREAD;

    for (uint32_t i = 0; i < c->view.tagged_count; i++) {
        const struct mpdata_tagged *const tagged = &c->view.tagged_rows[i];

        c->tagged_rows[i] =
            tagged->kind == MPROF_TAG_LEFT_OUT ||
            (has_wanted(prune, c->has[tagged->node]) &&
             (tagged->kind != going || c->fates[tagged->node] != NODE_GONE));
    }
}

/* Keeps distributions of the kept stacks. Other stacks named as a key become
 * unknown if they are unwanted, which may make rows equal. */
static enum mprof_err keep_details(struct mpdata_profile *profile,
                                   const struct choice *c)
{
    const uint32_t count = c->view.detail_count;
    struct mpdata_detail *const rows = mpdata_vec_array(count, sizeof(*rows));
    uint32_t n = 0;

    if (rows == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        rows[n] = c->view.details[i];
        if (c->fates[rows[n].node] != NODE_KEPT)
            continue;
        if (mprof_detail_is_stack(rows[n].kind) &&
            (c->has[rows[n].key] & MPDATA_PRUNE_UNWANTED) != 0)
            rows[n].key = 0;
        n++;
    }
    mpdata_profile_drop_details(profile);
    for (uint32_t i = 0; i < n; i++)
        mpdata_profile_detail(profile, &rows[i]);
    free(rows);
    return mpdata_profile_status(profile);
}

void mpdata_prune_record(struct mpdata_profile *profile, const char *by,
                         const struct mprof_mib *gone)
{
    const struct mpdata_tagged tagged = {
        .kind = MPROF_TAG_LEFT_OUT,
        .name = gone->AllocCount != 0
                    ? mpdata_profile_string(profile, by, strlen(by))
                    : 0};

    mpdata_profile_tagged(profile, &tagged, gone);
}

static void record(struct mpdata_profile *profile,
                   const struct mpdata_prune *prune,
                   const struct mpdata_pruned *pruned)
{
    const struct mprof_mib gone = {.AllocCount = pruned->gone_contexts,
                                   .TotalSize = pruned->gone_bytes,
                                   .MinSize = pruned->gone_contexts,
                                   .MaxSize = pruned->gone_contexts};

    if (prune->by != NULL)
        mpdata_prune_record(profile, prune->by, &gone);
}

/* Keeps the selected rows in place, and what they refer to. */
static enum mprof_err keep(struct mpdata_profile *profile, struct choice *c,
                           struct mpdata_pruned *pruned)
{
    choose_contexts(c, pruned);
    choose_tagged_rows(c);
    enum mprof_err err = keep_details(profile, c);
    mpdata_profile_keep_contexts(profile, c->contexts);
    mpdata_profile_keep_tagged(profile, c->tagged_rows);
    record(profile, c->prune, pruned);
    return err == MPROF_E_OK ? mpdata_profile_canonical_in_place(profile) : err;
}

static enum mprof_err choose(struct mpdata_profile *profile,
                             const struct mpdata_prune *prune,
                             struct mpdata_pruned *pruned)
{
    uint8_t *const frames = ask_frames(profile, prune);
    struct choice c = {.prune = prune, .view = mpdata_profile_view(profile)};
    enum mprof_err err = MPROF_E_NOMEM;

    if (frames != NULL)
        c.has = find_nodes(&c.view, frames);
    free(frames);
    c.fates = mpdata_vec_array((size_t)c.view.node_count + 1, 1);
    c.contexts = mpdata_vec_array(c.view.context_count, 1);
    c.tagged_rows = mpdata_vec_array(c.view.tagged_count, 1);
    if (c.has != NULL && c.fates != NULL && c.contexts != NULL &&
        c.tagged_rows != NULL)
        err = keep(profile, &c, pruned);
    free(c.has);
    free(c.fates);
    free(c.contexts);
    free(c.tagged_rows);
    return err;
}

enum mprof_err mpdata_prune_profile(struct mpdata_profile **profile,
                                    const struct mpdata_prune *prune,
                                    struct mpdata_pruned *pruned)
{
    enum mprof_err err = MPROF_E_OK;

    *pruned = (struct mpdata_pruned){.contexts = 0};
    if (prune->hides || prune->ends != NULL)
        err = hide(profile, prune);
    if (err == MPROF_E_OK && prune->depth_max != 0)
        err = cut(profile, prune, pruned);
    return err == MPROF_E_OK ? choose(*profile, prune, pruned) : err;
}
