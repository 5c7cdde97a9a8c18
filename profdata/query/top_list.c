/* top_list.c -- contexts, ranked.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/top_list.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

struct ranking {
    struct mpdata_view view;
    size_t field;
};

/* Largest first; contexts of a canonical profile stand in a fixed order, which
 * decides between equal ones. */
static int compare_contexts(const void *left, const void *right, void *context)
{
    const struct ranking *const ranking = (const struct ranking *)context;
    const uint32_t i = *(const uint32_t *)left;
    const uint32_t k = *(const uint32_t *)right;
    const uint64_t a = mpdata_view_mib_field(&ranking->view, i, ranking->field);
    const uint64_t b = mpdata_view_mib_field(&ranking->view, k, ranking->field);

    if (a != b)
        return a > b ? -1 : 1;
    return (i > k) - (i < k);
}

enum mprof_err mpdata_top_list_make(struct mpdata_top_list *list,
                                    const struct mpdata_profile *profile,
                                    enum mpdata_metric metric, uint64_t max,
                                    const struct mpdata_top *whole)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const size_t field = mpdata_metrics[metric].field;
    struct ranking ranking = {.view = view, .field = field};
    enum mprof_err err;

    *list = (struct mpdata_top_list){
        .context_count = view.context_count,
        .metric = metric,
        .totals = mpdata_profile_totals(&view),
        .rows = mpdata_vec_array(view.context_count, sizeof(uint32_t))};
    if (list->rows == NULL)
        return MPROF_E_NOMEM;
    err = mpdata_run_totals(&view, &list->runs);
    for (uint32_t i = 0; i < view.context_count; i++) {
        if (mpdata_view_mib_field(&view, i, field) != 0)
            list->rows[list->count++] = i;
    }
    if (list->count != 0)
        qsort_r(list->rows, list->count, sizeof(*list->rows), compare_contexts,
                &ranking);
    list->listed_count = list->count;
    list->count = (uint32_t)mprof_min_u64(list->count, max);
    if (whole != NULL) {
        list->totals = whole->totals;
        list->context_count = whole->context_count;
        list->listed_count = whole->listed_count;
    }
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
