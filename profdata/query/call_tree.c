/* call_tree.c -- builds the call tree of a profile.
 *
 * The profile's nodes already form a tree, with callers before callees. The
 * call tree merges the profile nodes of one group below one caller into one
 * node. It is built level by level from its root: each tree node has a list of
 * the profile nodes that it stands for, its places. The children of the places
 * (upwards: their callers), merged by group, are its children. So nodes below
 * the threshold are never expanded, and instead of a hash table one number per
 * group suffices: the group's node below the current caller. Values are summed
 * up at the end, from the last node to the first.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/call_tree.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

/* -- building the nodes ---------------------------------------------------- */

#define NOWHERE UINT32_MAX
#define NO_PLACE UINT32_MAX

/* The list of places of a tree node. */
struct places {
    uint32_t first;
    uint32_t last;
    uint32_t depth; /* of the tree node */
};

struct maker {
    struct mpdata_call_tree *tree;
    const struct mpdata_view *view;
    const struct mpdata_call_tree_of *of;
    struct mpdata_vec nodes; /* struct mpdata_call_node */
    struct mpdata_vec lists; /* struct places, by tree node */
    uint32_t *made;          /* by group: its last tree node */
    /* Downwards, a place is a node of the profile. Upwards, places have numbers
     * of their own: one for each stack through the root's functions. */
    uint32_t *next; /* by place: the next one in its list */
    uint32_t *home; /* by place: the last tree node that it belonged to */
    uint64_t *sums; /* by place: total of the first metric there and below */
    uint32_t *root; /* upwards, by place: the profile node where it starts */
    uint32_t *at; /* upwards, by place: the caller that it has reached, a ref */
    uint32_t root_count;
    uint32_t *end;    /* by profile node: the first node after its callees */
    uint32_t *joined; /* by ref of a profile node: its tree node, or NOWHERE */
};

static bool is_root(const struct maker *m, uint32_t node)
{
    return m->of->is_frame != NULL &&
           m->of->is_frame[m->view->nodes[node].frame];
}

static struct places *list_of(const struct maker *m, uint32_t node)
{
    return (struct places *)m->lists.data + node;
}

static void add_place(struct maker *m, uint32_t node, uint32_t place)
{
    struct places *const list = list_of(m, node);

    m->next[place] = NO_PLACE;
    if (list->first == NO_PLACE)
        list->first = place;
    else
        m->next[list->last] = place;
    list->last = place;
}

/* Appends a node to the tree. */
static bool add_node(struct maker *m, uint32_t parent, uint32_t group,
                     uint32_t depth)
{
    struct mpdata_call_node *const n = mpdata_vec_push(&m->nodes);
    struct places *const list = mpdata_vec_push(&m->lists);

    if (n == NULL || list == NULL)
        return false;
    n->parent = parent;
    n->group = group;
    *list =
        (struct places){.first = NO_PLACE, .last = NO_PLACE, .depth = depth};
    return true;
}

/* Adds a place to the child of `node` for the group of `frame`; creates the
 * child if necessary. The children of `node` start at number `first`. */
static bool add_to_child(struct maker *m, uint32_t node, uint32_t first,
                         uint32_t frame, uint32_t place)
{
    const uint32_t group = m->tree->groups.of_frame[frame];
    const uint32_t count = m->nodes.count;
    struct mpdata_call_node *nodes;

    if (m->made[group] < first) {
        if (!add_node(m, node, group, list_of(m, node)->depth + 1))
            return false;
        m->made[group] = count;
        nodes = m->nodes.data;
        nodes[count].frame = m->tree->groups.first[group];
        if (nodes[node].children++ == 0)
            nodes[node].child = count;
        else
            nodes[count - 1].sibling = count;
    }
    add_place(m, m->made[group], place);
    return true;
}

/* Adds the topmost profile nodes in [from, to), which are the calls of one
 * caller, to the children of `node`. */
static bool add_calls(struct maker *m, uint32_t node, uint32_t first,
                      uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i = m->end[i]) {
        if (!is_root(m, i) &&
            !add_to_child(m, node, first, m->view->nodes[i].frame, i))
            return false;
    }
    return true;
}

static bool add_caller(struct maker *m, uint32_t node, uint32_t first,
                       uint32_t place)
{
    const mpdata_ref up = m->view->nodes[m->at[place] - 1].parent;

    m->at[place] = up;
    return up == 0 ||
           add_to_child(m, node, first, m->view->nodes[up - 1].frame, place);
}

static bool add_children(struct maker *m, uint32_t node)
{
    const uint32_t first = m->nodes.count;
    bool is_made = true;
    uint32_t next;

    if (m->of->is_upwards && list_of(m, node)->depth == MPDATA_CALL_TREE_ABOVE)
        return true;
    for (uint32_t i = list_of(m, node)->first; i != NO_PLACE && is_made;
         i = next) {
        next = m->next[i];
        is_made = m->of->is_upwards
                      ? add_caller(m, node, first, i)
                      : add_calls(m, node, first, i + 1, m->end[i]);
    }
    if (node == 0 && m->of->is_frame == NULL)
        return add_calls(m, node, first, 0, m->view->node_count);
    return is_made;
}

/* Assigns a node's places to it. Returns the sum of their totals. */
static uint64_t join(struct maker *m, uint32_t node)
{
    uint64_t sum = 0;

    for (uint32_t i = list_of(m, node)->first; i != NO_PLACE; i = m->next[i]) {
        m->home[i] = node;
        sum = mprof_add_sat_u64(sum, m->sums[i]);
    }
    return sum;
}

/* Adds the places of a root that stands for functions: downwards all profile
 * nodes with its frames, upwards the outermost ones. */
static void add_roots(struct maker *m)
{
    uint32_t next;

    for (uint32_t i = 0; i < m->view->node_count; i = next) {
        next = i + 1;
        if (!is_root(m, i))
            continue;
        if (!m->of->is_upwards) {
            add_place(m, 0, i);
            continue;
        }
        next = m->end[i];
        m->root[m->root_count] = i;
        m->at[m->root_count] = i + 1;
        m->sums[m->root_count] = m->sums[i];
        add_place(m, 0, m->root_count++);
    }
}

static uint64_t least_of(double percent, uint64_t whole)
{
    const double least = (double)whole * percent / 100;

    if (percent <= 0)
        return 0;
    return mprof_max_u64(least < (double)whole ? (uint64_t)least : whole, 1);
}

static bool make_nodes(struct maker *m)
{
    if (!add_node(m, 0, 0, 0))
        return false;
    add_roots(m);
    uint64_t whole = join(m, 0);
    if (m->of->is_frame == NULL) {
        m->joined[0] = 0;
        for (uint32_t i = 0; i < m->view->context_count; i++)
            whole = mprof_add_sat_u64(
                whole, mpdata_metrics_value(m->view, i, m->of->metrics[0]));
    }
    m->tree->least = least_of(m->of->percent, whole);
    for (uint32_t i = 0; i < m->nodes.count; i++) {
        if ((i == 0 || join(m, i) >= m->tree->least) && !add_children(m, i))
            return false;
    }
    for (uint32_t i = 0; i < m->root_count; i++)
        m->joined[m->root[i] + 1] = m->home[i];
    m->tree->nodes = m->nodes.data;
    m->tree->count = m->nodes.count;
    return true;
}

/* -- values ---------------------------------------------------------------- */

static void add_row(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = mprof_add_sat_u64(to[i], from[i]);
}

/* Computes the totals of the profile's nodes and where their callees end.
 * Downwards, a call of a root's function is a root of its own, so it does not
 * count for its caller. */
static void add_sums(struct maker *m)
{
    const struct mpdata_view *const view = m->view;

    for (uint32_t i = 0; i < view->context_count; i++) {
        const mpdata_ref node = view->contexts[i].node;

        if (node != 0)
            m->sums[node - 1] = mprof_add_sat_u64(
                m->sums[node - 1],
                mpdata_metrics_value(view, i, m->of->metrics[0]));
    }
    for (uint32_t i = view->node_count; i-- > 0;) {
        const mpdata_ref up = view->nodes[i].parent;

        m->end[i] = (uint32_t)mprof_max_u64(m->end[i], i + 1);
        if (up == 0)
            continue;
        m->end[up - 1] = (uint32_t)mprof_max_u64(m->end[up - 1], m->end[i]);
        if (m->of->is_upwards || !is_root(m, i))
            m->sums[up - 1] = mprof_add_sat_u64(m->sums[up - 1], m->sums[i]);
    }
}

static void add_contexts(const struct maker *m, uint64_t *values)
{
    const size_t n = m->of->metric_count;

    for (uint32_t i = 0; i < m->view->context_count; i++) {
        const uint32_t node = m->joined[m->view->contexts[i].node];

        for (size_t k = 0; k < n && node != NOWHERE; k++)
            values[node * n + k] = mprof_add_sat_u64(
                values[node * n + k],
                mpdata_metrics_value(m->view, i, m->of->metrics[k]));
    }
}

static bool add_values(const struct maker *m)
{
    struct mpdata_call_tree *const tree = m->tree;
    const size_t n = tree->metric_count;

    tree->self = mpdata_vec_array(tree->count * n, sizeof(*tree->self));
    tree->total = mpdata_vec_array(tree->count * n, sizeof(*tree->total));
    if (tree->self == NULL || tree->total == NULL)
        return false;
    add_contexts(m, tree->self);
    /* A profile node below a node that was not expanded belongs to that node.
     */
    for (uint32_t i = 0; i < m->view->node_count; i++) {
        if (m->joined[i + 1] == NOWHERE)
            m->joined[i + 1] = m->joined[m->view->nodes[i].parent];
    }
    add_contexts(m, tree->total);
    for (uint32_t i = tree->count; i-- > 1;)
        add_row(&tree->total[tree->nodes[i].parent * n], &tree->total[i * n],
                n);
    return true;
}

/* -- the tree -------------------------------------------------------------- */

static bool make_room(struct maker *m)
{
    const size_t nodes = (size_t)m->view->node_count + 1;
    const size_t up = m->of->is_upwards ? nodes : 0;

    m->made = mpdata_vec_array(m->tree->groups.count, sizeof(*m->made));
    m->next = mpdata_vec_array(nodes, sizeof(*m->next));
    m->root = mpdata_vec_array(up, sizeof(*m->root));
    m->at = mpdata_vec_array(up, sizeof(*m->at));
    m->end = mpdata_vec_array(nodes, sizeof(*m->end));
    m->sums = mpdata_vec_array(nodes, sizeof(*m->sums));
    m->joined = mpdata_vec_array(nodes, sizeof(*m->joined));
    if (m->of->is_upwards)
        m->home = mpdata_vec_array(nodes, sizeof(*m->home));
    else if (m->joined != NULL)
        m->home = m->joined + 1;
    for (size_t i = 0; m->joined != NULL && i < nodes; i++)
        m->joined[i] = NOWHERE;
    return m->made != NULL && m->next != NULL && m->root != NULL &&
           m->at != NULL && m->end != NULL && m->sums != NULL &&
           m->joined != NULL && m->home != NULL;
}

static void free_room(struct maker *m)
{
    free(m->made);
    free(m->next);
    free(m->root);
    free(m->at);
    free(m->end);
    free(m->sums);
    free(m->joined);
    if (m->of->is_upwards)
        free(m->home);
    mpdata_vec_fini(&m->lists);
}

enum mprof_err mpdata_call_tree_make(struct mpdata_call_tree *tree,
                                     const struct mpdata_profile *profile,
                                     const struct mpdata_call_tree_of *of)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct maker m = {.tree = tree,
                      .view = &view,
                      .of = of,
                      .nodes = {.elem_bytes = sizeof(struct mpdata_call_node)},
                      .lists = {.elem_bytes = sizeof(struct places)}};
    bool is_made = false;

    *tree = (struct mpdata_call_tree){
        .metric_count = of->metric_count,
        .divisor = mpdata_metrics_divisor(of->metrics, of->metric_count)};
    if (mpdata_frame_groups_make(&tree->groups, profile, of->by) ==
            MPROF_E_OK &&
        make_room(&m)) {
        add_sums(&m);
        is_made = make_nodes(&m) && add_values(&m);
    }
    free_room(&m);
    tree->nodes = m.nodes.data;
    return is_made ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_call_tree_fini(struct mpdata_call_tree *tree)
{
    mpdata_frame_groups_fini(&tree->groups);
    free(tree->nodes);
    free(tree->self);
    free(tree->total);
    *tree = (struct mpdata_call_tree){.nodes = NULL};
}

/* -- order ----------------------------------------------------------------- */

static uint64_t rank(const struct mpdata_call_tree *tree, uint32_t node)
{
    const uint64_t *const totals = &tree->total[node * tree->metric_count];

    if (tree->divisor == 0)
        return totals[0];
    return totals[0] >= tree->least ? mpdata_metrics_rank(totals, tree->divisor)
                                    : 0;
}

static void sort_children(struct mpdata_call_tree *tree, uint32_t parent,
                          struct mpdata_ranked *room)
{
    uint32_t *link = &tree->nodes[parent].child;
    uint32_t count = 0;

    for (uint32_t i = *link; i != 0; i = tree->nodes[i].sibling)
        room[count++] = (struct mpdata_ranked){rank(tree, i), i};
    mpdata_vec_rank(room, count);
    for (uint32_t i = 0; i < count; i++) {
        *link = room[i].row;
        link = &tree->nodes[room[i].row].sibling;
    }
    *link = 0;
}

enum mprof_err mpdata_call_tree_sort(struct mpdata_call_tree *tree)
{
    uint32_t most = 0;
    struct mpdata_ranked *room;

    for (uint32_t i = 0; i < tree->count; i++)
        most = (uint32_t)mprof_max_u64(most, tree->nodes[i].children);
    room = mpdata_vec_array(most, sizeof(*room));
    if (room == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < tree->count; i++) {
        if (tree->nodes[i].children > 1)
            sort_children(tree, i, room);
    }
    free(room);
    return MPROF_E_OK;
}

/* -- the tree as lines ----------------------------------------------------- */

/* Returns the number of siblings from `node` on that have a value; each is
 * below `least`. Returns 0 if their sum is below `least` too. */
static uint32_t count_rest(const struct mpdata_call_tree *tree, uint32_t node,
                           uint64_t least)
{
    uint32_t count = 0;
    uint64_t sum = 0;

    for (; node != 0; node = tree->nodes[node].sibling) {
        const uint64_t value = mpdata_call_tree_total(tree, node, 0);

        count += value != 0;
        sum = mprof_add_sat_u64(sum, value);
    }
    return sum >= least ? count : 0;
}

static bool is_last(const struct mpdata_call_tree *tree, uint32_t node,
                    uint64_t least)
{
    const uint32_t next = tree->nodes[node].sibling;

    return next == 0 || (mpdata_call_tree_total(tree, next, 0) < least &&
                         count_rest(tree, next, least) == 0);
}

enum mprof_err mpdata_call_tree_rows(struct mpdata_tree_rows *rows,
                                     const struct mpdata_call_tree *tree,
                                     uint64_t least)
{
    struct mpdata_vec vec = {.elem_bytes = sizeof(struct mpdata_tree_row)};
    struct mpdata_tree_row *row = mpdata_vec_push(&vec);
    uint32_t depth = 0;
    uint32_t at = 0;

    while (row != NULL && (at = mpdata_call_tree_next(tree, at, &depth)) != 0) {
        /* Siblings are sorted, largest first: after the first one below the
         * threshold, all are. */
        while (at != 0 && mpdata_call_tree_total(tree, at, 0) < least) {
            const uint32_t folded = count_rest(tree, at, least);
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
        row->is_last = is_last(tree, at, least);
        row->is_only =
            row->is_last && tree->nodes[tree->nodes[at].parent].child == at;
    }
    rows->rows = vec.data;
    rows->count = vec.count;
    return row != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_call_tree_rows_fini(struct mpdata_tree_rows *rows)
{
    struct mpdata_vec vec = {.data = rows->rows,
                             .elem_bytes = sizeof(*rows->rows)};

    mpdata_vec_fini(&vec);
    *rows = (struct mpdata_tree_rows){.rows = NULL};
}

uint64_t mpdata_call_tree_rows_total(const struct mpdata_call_tree *tree,
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
