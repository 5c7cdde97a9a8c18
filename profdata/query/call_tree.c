/* call_tree.c -- the call tree of a profile.
 *
 * The profile's nodes are such a tree already, callers before what they call;
 * those of one group below one caller become one node, in one pass. Upwards a
 * node of a function is followed to the outermost caller. Then values
 * are added up from the last node to the first.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/call_tree.h"
#include "profdata/base/pairs.h"

#include <stdlib.h>

/* -- making ---------------------------------------------------------------- */

#define NOWHERE UINT32_MAX

struct join {
    const struct mpdata_view *view;
    const struct mpdata_frame_groups *groups;
    const bool *is_frame; /* by frame: what the root is; NULL: the program */
    struct mpdata_pairs *pairs;
    uint32_t *joined; /* by node of the profile, + 1: the node of the tree */
};

static bool is_root(const struct join *j, const struct mpdata_node *node)
{
    return j->is_frame != NULL && j->is_frame[node->frame];
}

static bool add_call(const struct join *j, uint32_t *at, uint32_t frame)
{
    *at = mpdata_pairs_add(j->pairs, *at, j->groups->of_frame[frame]);
    return *at != 0;
}

/* From the program, or from the innermost of the functions, downwards. */
static bool join_below(const struct join *j)
{
    for (uint32_t i = 0; i < j->view->node_count; i++) {
        const struct mpdata_node *const n = &j->view->nodes[i];
        uint32_t *const at = &j->joined[i + 1];

        *at = is_root(j, n) ? 0 : j->joined[n->parent];
        if (!is_root(j, n) && *at != NOWHERE && !add_call(j, at, n->frame))
            return false;
    }
    return true;
}

/* From the outermost of the functions upwards. */
static bool join_above(const struct join *j)
{
    for (uint32_t i = 0; i < j->view->node_count; i++) {
        const struct mpdata_node *const n = &j->view->nodes[i];
        uint32_t *const at = &j->joined[i + 1];
        uint32_t left = MPDATA_CALL_TREE_ABOVE;

        *at = j->joined[n->parent];
        if (*at != NOWHERE || !is_root(j, n))
            continue;
        *at = 0;
        for (mpdata_ref up = n->parent; up != 0 && left-- > 0;
             up = j->view->nodes[up - 1].parent) {
            if (!add_call(j, at, j->view->nodes[up - 1].frame))
                return false;
        }
    }
    return true;
}

static bool make_nodes(struct mpdata_call_tree *tree,
                       const struct mpdata_pairs *pairs)
{
    const uint32_t(*const rows)[2] = (const uint32_t(*)[2])pairs->rows.data;
    const size_t count = (size_t)pairs->rows.count + 1;

    tree->nodes = (struct mpdata_call_node *)mpdata_vec_array(
        count, sizeof(*tree->nodes));
    tree->self = (uint64_t *)mpdata_vec_array(count * tree->metric_count,
                                              sizeof(*tree->self));
    tree->total = (uint64_t *)mpdata_vec_array(count * tree->metric_count,
                                               sizeof(*tree->total));
    if (tree->nodes == NULL || tree->self == NULL || tree->total == NULL)
        return false;
    tree->count = (uint32_t)count;
    /* From the end, so that children come in order. */
    for (uint32_t i = tree->count - 1; i > 0; i--) {
        struct mpdata_call_node *const n = &tree->nodes[i];
        struct mpdata_call_node *const parent = &tree->nodes[rows[i - 1][0]];

        n->parent = rows[i - 1][0];
        n->group = rows[i - 1][1];
        n->frame = tree->groups.first[n->group];
        n->sibling = parent->child;
        parent->child = i;
        parent->children++;
    }
    return true;
}

static void add_row(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = mprof_add_sat_u64(to[i], from[i]);
}

static void add_values(struct mpdata_call_tree *tree,
                       const struct mpdata_view *view, const uint32_t *joined,
                       const enum mpdata_metric *metrics)
{
    const size_t n = tree->metric_count;

    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mpdata_context *const c = &view->contexts[i];
        uint64_t *self;

        if (joined[c->node] == NOWHERE)
            continue;
        self = &tree->self[joined[c->node] * n];
        for (size_t f = 0; f < n; f++)
            self[f] = mprof_add_sat_u64(
                self[f], mpdata_metrics_value(view, i, metrics[f]));
    }
    for (uint32_t i = tree->count; i-- > 0;) {
        add_row(&tree->total[i * n], &tree->self[i * n], n);
        if (i != 0)
            add_row(&tree->total[tree->nodes[i].parent * n],
                    &tree->total[i * n], n);
    }
}

static enum mprof_err make(struct mpdata_call_tree *tree,
                           const struct mpdata_profile *profile,
                           enum mpdata_group_by by, const bool *is_frame,
                           bool (*join)(const struct join *j),
                           const enum mpdata_metric *metrics,
                           size_t metric_count)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    enum mprof_err err = MPROF_E_NOMEM;
    struct mpdata_pairs pairs;
    const struct join j = {.view = &view,
                           .groups = &tree->groups,
                           .is_frame = is_frame,
                           .pairs = &pairs,
                           .joined = (uint32_t *)mpdata_vec_array(
                               (size_t)view.node_count + 1, sizeof(uint32_t))};

    *tree = (struct mpdata_call_tree){.metric_count = metric_count};
    mpdata_pairs_init(&pairs);
    if (j.joined == NULL ||
        mpdata_frame_groups_make(&tree->groups, profile, by) != MPROF_E_OK)
        goto out;
    j.joined[0] = is_frame != NULL ? NOWHERE : 0;
    if (!join(&j) || !make_nodes(tree, &pairs))
        goto out;
    add_values(tree, &view, j.joined, metrics);
    err = MPROF_E_OK;
out:
    free(j.joined);
    mpdata_pairs_fini(&pairs);
    return err;
}

enum mprof_err mpdata_call_tree_make(struct mpdata_call_tree *tree,
                                     const struct mpdata_profile *profile,
                                     enum mpdata_group_by by,
                                     const enum mpdata_metric *metrics,
                                     size_t metric_count)
{
    return make(tree, profile, by, NULL, join_below, metrics, metric_count);
}

enum mprof_err mpdata_call_tree_make_below(struct mpdata_call_tree *tree,
                                           const struct mpdata_profile *profile,
                                           enum mpdata_group_by by,
                                           const bool *is_frame,
                                           const enum mpdata_metric *metrics,
                                           size_t metric_count)
{
    return make(tree, profile, by, is_frame, join_below, metrics, metric_count);
}

enum mprof_err mpdata_call_tree_make_above(struct mpdata_call_tree *tree,
                                           const struct mpdata_profile *profile,
                                           enum mpdata_group_by by,
                                           const bool *is_frame,
                                           const enum mpdata_metric *metrics,
                                           size_t metric_count)
{
    return make(tree, profile, by, is_frame, join_above, metrics, metric_count);
}

void mpdata_call_tree_fini(struct mpdata_call_tree *tree)
{
    mpdata_frame_groups_fini(&tree->groups);
    free(tree->nodes);
    free(tree->self);
    free(tree->total);
    *tree = (struct mpdata_call_tree){.nodes = NULL};
}

/* -- orders ---------------------------------------------------------------- */

struct child {
    uint32_t node;
    uint64_t value;
};

static int compare_children(const void *left, const void *right)
{
    const struct child *const a = (const struct child *)left;
    const struct child *const b = (const struct child *)right;

    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static void sort_children(struct mpdata_call_tree *tree, uint32_t parent,
                          size_t column, struct child *room)
{
    uint32_t *link = &tree->nodes[parent].child;
    uint32_t count = 0;

    for (uint32_t i = *link; i != 0; i = tree->nodes[i].sibling)
        room[count++] =
            (struct child){i, mpdata_call_tree_total(tree, i, column)};
    qsort(room, count, sizeof(*room), compare_children);
    for (uint32_t i = 0; i < count; i++) {
        *link = room[i].node;
        link = &tree->nodes[room[i].node].sibling;
    }
    *link = 0;
}

enum mprof_err mpdata_call_tree_sort(struct mpdata_call_tree *tree,
                                     size_t column)
{
    uint32_t most = 0;
    struct child *room;

    for (uint32_t i = 0; i < tree->count; i++)
        most = (uint32_t)mprof_max_u64(most, tree->nodes[i].children);
    room = (struct child *)mpdata_vec_array(most, sizeof(*room));
    if (room == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < tree->count; i++) {
        if (tree->nodes[i].children > 1)
            sort_children(tree, i, column, room);
    }
    free(room);
    return MPROF_E_OK;
}

uint32_t mpdata_call_tree_skip(const struct mpdata_call_tree *tree,
                               uint32_t node, uint32_t *depth)
{
    while (node != 0 && tree->nodes[node].sibling == 0) {
        node = tree->nodes[node].parent;
        --*depth;
    }
    return node != 0 ? tree->nodes[node].sibling : 0;
}

uint32_t mpdata_call_tree_next(const struct mpdata_call_tree *tree,
                               uint32_t node, uint32_t *depth)
{
    if (tree->nodes[node].child != 0) {
        ++*depth;
        return tree->nodes[node].child;
    }
    return mpdata_call_tree_skip(tree, node, depth);
}
