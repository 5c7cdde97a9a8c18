/* groups.c -- sums up a profile by function, line or file.
 *
 * One walk over the profile's nodes, which are in preorder. When the walk
 * leaves a node, it adds the node's total to the total of its group, unless the
 * node is below another one of the same group. Memory is needed only for the
 * nodes between the root and the current node.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/lists.h"
#include "profdata/base/vec.h"

#include <stdlib.h>
#include <string.h>

static int compare_groups(const void *left, const void *right, void *context)
{
    const size_t divisor = *(const size_t *)context;
    const struct mpdata_group *const a = left;
    const struct mpdata_group *const b = right;
    int order = mprof_compare_u64(mpdata_metrics_rank(b->self, divisor),
                                  mpdata_metrics_rank(a->self, divisor));

    if (order == 0)
        order = mprof_compare_u64(mpdata_metrics_rank(b->total, divisor),
                                  mpdata_metrics_rank(a->total, divisor));
    return order != 0 ? order : mprof_compare_u64(a->frame, b->frame);
}

static bool make_rows(struct mpdata_groups *groups)
{
    const struct mpdata_frame_groups *const frames = &groups->groups;
    const size_t n = groups->metric_count;

    groups->rows = mpdata_vec_array(frames->count, sizeof(*groups->rows));
    groups->values =
        mpdata_vec_array(2 * (size_t)frames->count + 1, n * sizeof(uint64_t));
    if (groups->rows == NULL || groups->values == NULL)
        return false;
    for (uint32_t i = 0; i < frames->count; i++)
        groups->rows[i] =
            (struct mpdata_group){.frame = frames->first[i],
                                  .number = i,
                                  .self = &groups->values[2 * i * n],
                                  .total = &groups->values[(2 * i + 1) * n]};
    groups->without_stack = &groups->values[2 * frames->count * n];
    return true;
}

static void add_row(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = mprof_add_sat_u64(to[i], from[i]);
}

/* State of the walk. */
struct walk {
    struct mpdata_groups *groups;
    const struct mpdata_view *view;
    const enum mpdata_metric *metrics;
    /* uint32_t: the nodes from the root to the current one. */
    struct mpdata_vec way;
    uint64_t *sums; /* metric_count totals per node of `way`, as far as known */
    uint32_t *open; /* by group: how many of its nodes are in `way` */
};

static struct mpdata_group *group_of(const struct walk *w, uint32_t node)
{
    return &w->groups
                ->rows[w->groups->groups.of_frame[w->view->nodes[node].frame]];
}

static uint32_t last_of(const struct walk *w)
{
    return ((const uint32_t *)w->way.data)[w->way.count - 1];
}

static bool enter(struct walk *w, uint32_t node)
{
    const size_t n = w->groups->metric_count;
    const uint32_t capacity = w->way.capacity;
    uint32_t *const at = mpdata_vec_push(&w->way);
    uint64_t *sums;

    if (at == NULL)
        return false;
    *at = node;
    if (w->way.capacity != capacity) {
        sums = reallocarray(w->sums, w->way.capacity, n * sizeof(*sums));
        if (sums == NULL)
            return false;
        w->sums = sums;
    }
    memset(&w->sums[(w->way.count - 1) * n], 0, n * sizeof(*sums));
    w->open[group_of(w, node)->number]++;
    return true;
}

static void leave(struct walk *w)
{
    const size_t n = w->groups->metric_count;
    struct mpdata_group *const g = group_of(w, last_of(w));
    const uint64_t *const sums = &w->sums[--w->way.count * n];

    if (--w->open[g->number] == 0)
        add_row(g->total, sums, n);
    if (w->way.count != 0)
        add_row(&w->sums[(w->way.count - 1) * n], sums, n);
}

static void add_context(struct walk *w, uint32_t context)
{
    const size_t n = w->groups->metric_count;
    uint64_t *const self = w->way.count == 0 ? w->groups->without_stack
                                             : group_of(w, last_of(w))->self;

    for (size_t i = 0; i < n; i++) {
        const uint64_t value =
            mpdata_metrics_value(w->view, context, w->metrics[i]);
        uint64_t *sum;

        self[i] = mprof_add_sat_u64(self[i], value);
        if (w->way.count == 0)
            continue;
        sum = &w->sums[(w->way.count - 1) * n + i];
        *sum = mprof_add_sat_u64(*sum, value);
    }
}

/* The contexts of each node; indexes + 1, 0: none. Owned. */
struct owners {
    uint32_t *first; /* by ref of a node */
    uint32_t *next;  /* by context */
};

static void add_owners(struct walk *w, const struct owners *owners,
                       mpdata_ref node)
{
    for (uint32_t i = owners->first[node]; i != 0; i = owners->next[i - 1])
        add_context(w, i - 1);
}

static bool add_nodes(struct walk *w, const struct owners *owners)
{
    add_owners(w, owners, 0);
    for (uint32_t i = 0; i < w->view->node_count; i++) {
        const mpdata_ref parent = w->view->nodes[i].parent;

        while (w->way.count != 0 && last_of(w) + 1 != parent)
            leave(w);
        if (!enter(w, i))
            return false;
        add_owners(w, owners, i + 1);
    }
    while (w->way.count != 0)
        leave(w);
    return true;
}

static bool is_empty(const struct mpdata_group *group, size_t values)
{
    for (size_t i = 0; i < values; i++) {
        if (group->total[i] != 0)
            return false;
    }
    return true;
}

static uint32_t leave_out_empty(struct mpdata_group *rows, uint32_t count,
                                size_t values)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (!is_empty(&rows[i], values))
            rows[kept++] = rows[i];
    }
    return kept;
}

/* False when out of memory. */
static bool find_owners(struct owners *owners, const struct mpdata_view *view)
{
    *owners =
        (struct owners){.first = mpdata_vec_array((size_t)view->node_count + 1,
                                                  sizeof(*owners->first)),
                        .next = (uint32_t *)mpdata_vec_array(
                            view->context_count, sizeof(*owners->next))};
    if (owners->first == NULL || owners->next == NULL)
        return false;
    for (uint32_t i = 0; i < view->context_count; i++) {
        uint32_t *const first = &owners->first[view->contexts[i].node];

        owners->next[i] = *first;
        *first = i + 1;
    }
    return true;
}

static bool add_values(struct mpdata_groups *groups,
                       const struct mpdata_view *view,
                       const enum mpdata_metric *metrics)
{
    struct walk w = {.groups = groups,
                     .view = view,
                     .metrics = metrics,
                     .way = {.elem_bytes = sizeof(uint32_t)},
                     .open = (uint32_t *)mpdata_vec_array(groups->groups.count,
                                                          sizeof(*w.open))};
    struct owners owners;
    const bool is_made =
        find_owners(&owners, view) && w.open != NULL && add_nodes(&w, &owners);

    free(owners.first);
    free(owners.next);
    free(w.open);
    free(w.sums);
    mpdata_vec_fini(&w.way);
    return is_made;
}

enum mprof_err mpdata_groups_make(struct mpdata_groups *groups,
                                  const struct mpdata_profile *profile,
                                  enum mpdata_by by,
                                  const enum mpdata_metric *metrics,
                                  size_t metric_count)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    enum mprof_err err;

    *groups = (struct mpdata_groups){
        .metric_count = metric_count,
        .divisor = mpdata_metrics_divisor(metrics, metric_count)};
    err = mpdata_frame_groups_make(&groups->groups, profile, by);
    if (err != MPROF_E_OK)
        return err;
    if (!make_rows(groups) || !add_values(groups, &view, metrics))
        return MPROF_E_NOMEM;
    groups->count =
        leave_out_empty(groups->rows, groups->groups.count, metric_count);
    if (groups->count != 0)
        qsort_r(groups->rows, groups->count, sizeof(*groups->rows),
                compare_groups, &groups->divisor);
    return MPROF_E_OK;
}

void mpdata_groups_fini(struct mpdata_groups *groups)
{
    mpdata_frame_groups_fini(&groups->groups);
    free(groups->rows);
    free(groups->values);
    groups->rows = NULL;
    groups->values = NULL;
}
