/* top_list.c -- ranks contexts by a metric.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/lists.h"
#include "profdata/base/vec.h"
#include "shared/index_format.h"

#include <stdlib.h>

static uint64_t value_of(const struct mpdata_view *view, uint32_t context,
                         enum mpdata_metric metric)
{
    const uint64_t values[] = {
        mpdata_metrics_value(view, context, metric),
        mpdata_metrics_value(view, context, MPDATA_METRIC_BLOCKS)};

    return mpdata_metrics_rank(values, metric == MPDATA_METRIC_LIFETIME);
}

/* Returns all contexts with a value, ranked; NULL when out of memory. A
 * canonical profile is already sorted by bytes, and its order of contexts is
 * fixed. */
static struct mpdata_ranked *rank(const struct mpdata_view *view,
                                  enum mpdata_metric metric, uint32_t *count)
{
    struct mpdata_ranked *const rows =
        mpdata_vec_array(view->context_count, sizeof(*rows));
    bool is_sorted = true;

    *count = 0;
    for (uint32_t i = 0; rows != NULL && i < view->context_count; i++) {
        const struct mpdata_ranked row = {.value = value_of(view, i, metric),
                                          .row = i};

        if (row.value == 0)
            continue;
        is_sorted =
            is_sorted && (*count == 0 || rows[*count - 1].value >= row.value);
        rows[(*count)++] = row;
    }
    if (rows != NULL && !is_sorted)
        mpdata_vec_rank(rows, *count);
    return rows;
}

enum mprof_err mpdata_top_list_make(struct mpdata_top_list *list,
                                    const struct mpdata_profile *profile,
                                    enum mpdata_metric metric, uint64_t max)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    uint32_t count;
    struct mpdata_ranked *const ranked = rank(&view, metric, &count);

    *list =
        (struct mpdata_top_list){.context_count = view.context_count,
                                 .listed_count = count,
                                 .count = (uint32_t)mprof_min_u64(count, max),
                                 .metric = metric,
                                 .totals = mpdata_profile_totals(&view)};
    list->rows = mpdata_vec_array(list->count, sizeof(*list->rows));
    for (uint32_t i = 0;
         ranked != NULL && list->rows != NULL && i < list->count; i++)
        list->rows[i] = ranked[i].row;
    free(ranked);
    if (ranked == NULL || list->rows == NULL)
        return MPROF_E_NOMEM;
    enum mprof_err err = mpdata_run_totals(&view, &list->runs);
    for (uint32_t i = 0; i < view.context_count; i++)
        list->unseen |= view.contexts[i].flags & MPROF_CONTEXT_UNSEEN_MASK;
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        list->held[m] = mpdata_metrics_is_held((enum mpdata_metric)m,
                                               &list->totals, &list->runs);
    return err;
}

void mpdata_top_list_fini(struct mpdata_top_list *list)
{
    free(list->rows);
    list->rows = NULL;
}
