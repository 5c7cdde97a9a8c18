/* groups.c -- sums up a profile by function, line or file.
 *
 * The profile's nodes are in preorder. A node's total, that of all nodes below
 * it included, counts for its group unless the node is below another one of the
 * same group.
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

/* By node. Owned. */
struct walk {
    uint64_t *sums;  /* by ref: what is allocated there and below */
    uint32_t *ends;  /* the first node that is not below it */
    uint32_t *until; /* by group: the first node that is not below one of its */
};

static bool open_walk(struct walk *w, const struct mpdata_groups *groups,
                      const struct mpdata_view *view)
{
    w->sums = mpdata_vec_array((size_t)view->node_count + 1, sizeof(*w->sums));
    w->ends = mpdata_vec_array(view->node_count, sizeof(*w->ends));
    w->until = mpdata_vec_array(groups->groups.count, sizeof(*w->until));
    if (w->sums == NULL || w->ends == NULL || w->until == NULL)
        return false;
    for (uint32_t i = view->node_count; i-- > 0;) {
        const mpdata_ref up = view->nodes[i].parent;

        w->ends[i] = (uint32_t)mprof_max_u64(w->ends[i], i + 1);
        if (up != 0)
            w->ends[up - 1] =
                (uint32_t)mprof_max_u64(w->ends[up - 1], w->ends[i]);
    }
    return true;
}

static void add(uint64_t *to, uint64_t value)
{
    *to = mprof_add_sat_u64(*to, value);
}

/* Adds up metric number k. */
static void add_metric(struct mpdata_groups *groups,
                       const struct mpdata_view *view, struct walk *w,
                       enum mpdata_metric metric, size_t k)
{
    const uint32_t *const group_of = groups->groups.of_frame;

    memset(w->sums, 0, ((size_t)view->node_count + 1) * sizeof(*w->sums));
    memset(w->until, 0, groups->groups.count * sizeof(*w->until));
    for (uint32_t i = 0; i < view->context_count; i++) {
        const mpdata_ref node = view->contexts[i].node;
        const uint64_t value = mpdata_metrics_value(view, i, metric);

        add(&w->sums[node], value);
        add(node != 0
                ? &groups->rows[group_of[view->nodes[node - 1].frame]].self[k]
                : &groups->without_stack[k],
            value);
    }
    for (uint32_t i = view->node_count; i-- > 0;)
        add(&w->sums[view->nodes[i].parent], w->sums[i + 1]);
    for (uint32_t i = 0; i < view->node_count; i++) {
        const uint32_t group = group_of[view->nodes[i].frame];

        if (i < w->until[group])
            continue;
        w->until[group] = w->ends[i];
        add(&groups->rows[group].total[k], w->sums[i + 1]);
    }
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

static bool add_values(struct mpdata_groups *groups,
                       const struct mpdata_view *view,
                       const enum mpdata_metric *metrics)
{
    struct walk w;
    const bool is_open = open_walk(&w, groups, view);

    for (size_t k = 0; is_open && k < groups->metric_count; k++)
        add_metric(groups, view, &w, metrics[k], k);
    free(w.sums);
    free(w.ends);
    free(w.until);
    return is_open;
}

enum mprof_err mpdata_groups_make(struct mpdata_groups *groups,
                                  const struct mpdata_profile *profile,
                                  enum mpdata_by by,
                                  const enum mpdata_metric *metrics,
                                  size_t metric_count)
{
    const struct mpdata_view view = mpdata_profile_view(profile);

    *groups = (struct mpdata_groups){
        .metric_count = metric_count,
        .divisor = mpdata_metrics_divisor(metrics, metric_count)};
    enum mprof_err err = mpdata_frame_groups_make(&groups->groups, profile, by);
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
