/* groups.c -- a profile by function, line or file.
 *
 * One walk through the call tree: a node adds what it has in all to its group,
 * unless the walk came through that group already.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/groups.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

static int compare_groups(const void *left, const void *right)
{
    const struct mpdata_group *const a = (const struct mpdata_group *)left;
    const struct mpdata_group *const b = (const struct mpdata_group *)right;

    if (a->self[0] != b->self[0])
        return a->self[0] > b->self[0] ? -1 : 1;
    if (a->total[0] != b->total[0])
        return a->total[0] > b->total[0] ? -1 : 1;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static bool make_rows(struct mpdata_groups *groups)
{
    const struct mpdata_frame_groups *const frames = &groups->tree.groups;
    const size_t n = groups->tree.metric_count;

    groups->rows = (struct mpdata_group *)mpdata_vec_array(
        frames->count, sizeof(*groups->rows));
    groups->values = (uint64_t *)mpdata_vec_array((size_t)frames->count * n,
                                                  2 * sizeof(uint64_t));
    if (groups->rows == NULL || groups->values == NULL)
        return false;
    for (uint32_t i = 0; i < frames->count; i++)
        groups->rows[i] =
            (struct mpdata_group){.frame = frames->first[i],
                                  .number = i,
                                  .self = &groups->values[2 * i * n],
                                  .total = &groups->values[(2 * i + 1) * n]};
    return true;
}

static void add_row(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = mprof_add_sat_u64(to[i], from[i]);
}

/* open: of each group, how many of its nodes the walk is below or in. */
static void add_nodes(struct mpdata_groups *groups, uint32_t *open)
{
    const struct mpdata_call_tree *const tree = &groups->tree;
    const size_t n = tree->metric_count;
    uint32_t depth = 0;
    uint32_t at = 0;

    for (;;) {
        const uint32_t before = at;
        const uint32_t depth_before = depth;
        struct mpdata_group *g;

        at = mpdata_call_tree_next(tree, at, &depth);
        /* What the walk left on its way up. */
        for (uint32_t up = before, d = depth_before; up != 0 && d >= depth;
             d--) {
            open[tree->nodes[up].group]--;
            up = tree->nodes[up].parent;
        }
        if (at == 0)
            return;
        g = &groups->rows[tree->nodes[at].group];
        add_row(g->self, &tree->self[at * n], n);
        if (open[g->number]++ == 0)
            add_row(g->total, &tree->total[at * n], n);
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

enum mprof_err mpdata_groups_make(struct mpdata_groups *groups,
                                  const struct mpdata_profile *profile,
                                  enum mpdata_group_by by,
                                  const enum mpdata_metric *metrics,
                                  size_t metric_count)
{
    uint32_t *open = NULL;
    enum mprof_err err;

    *groups = (struct mpdata_groups){.rows = NULL};
    err = mpdata_call_tree_make(&groups->tree, profile, by, metrics,
                                metric_count);
    if (err != MPROF_E_OK)
        return err;
    open =
        (uint32_t *)mpdata_vec_array(groups->tree.groups.count, sizeof(*open));
    if (open == NULL || !make_rows(groups)) {
        free(open);
        return MPROF_E_NOMEM;
    }
    add_nodes(groups, open);
    free(open);
    groups->count =
        leave_out_empty(groups->rows, groups->tree.groups.count, metric_count);
    if (groups->count != 0)
        qsort(groups->rows, groups->count, sizeof(*groups->rows),
              compare_groups);
    return MPROF_E_OK;
}

void mpdata_groups_fini(struct mpdata_groups *groups)
{
    mpdata_call_tree_fini(&groups->tree);
    free(groups->rows);
    free(groups->values);
    groups->rows = NULL;
    groups->values = NULL;
}
