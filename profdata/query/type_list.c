/* type_list.c -- a profile by type.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/type_list.h"
#include "profdata/base/vec.h"
#include "profdata/query/types.h"

#include <stdlib.h>

static int compare_rows(const void *left, const void *right)
{
    const struct mpdata_type_row *const a =
        (const struct mpdata_type_row *)left;
    const struct mpdata_type_row *const b =
        (const struct mpdata_type_row *)right;

    if (a->values[0] != b->values[0])
        return a->values[0] > b->values[0] ? -1 : 1;
    return (a->type > b->type) - (a->type < b->type);
}

/* By string, + 1, the row of the type; each type of a context has one. NULL
 * without memory. */
static uint32_t *find_rows(struct mpdata_type_list *list,
                           const struct mpdata_view *view)
{
    uint32_t *const rows =
        (uint32_t *)mpdata_vec_array(view->string_count, sizeof(*rows));

    for (uint32_t i = 0; rows != NULL && i < view->context_count; i++) {
        const mpdata_string type =
            mpdata_types_of(view, view->contexts[i].node);

        if (rows[type] != 0)
            continue;
        rows[type] = ++list->count;
        list->known += type != 0;
    }
    return rows;
}

enum mprof_err mpdata_type_list_make(struct mpdata_type_list *list,
                                     const struct mpdata_profile *profile,
                                     const enum mpdata_metric *metrics,
                                     size_t metric_count)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    uint32_t *by_string;

    *list = (struct mpdata_type_list){.count = 0};
    by_string = find_rows(list, &view);
    if (by_string == NULL)
        return MPROF_E_NOMEM;
    list->rows = (struct mpdata_type_row *)mpdata_vec_array(
        list->count, sizeof(*list->rows));
    list->values = (uint64_t *)mpdata_vec_array(list->count * metric_count,
                                                sizeof(*list->values));
    for (uint32_t i = 0;
         list->rows != NULL && list->values != NULL && i < view.context_count;
         i++) {
        const struct mpdata_context *const c = &view.contexts[i];
        const mpdata_string type = mpdata_types_of(&view, c->node);
        struct mpdata_type_row *const row = &list->rows[by_string[type] - 1];

        row->type = type;
        row->values = &list->values[(by_string[type] - 1) * metric_count];
        for (size_t m = 0; m < metric_count; m++)
            row->values[m] = mprof_add_sat_u64(
                row->values[m], mpdata_metrics_value(&view, i, metrics[m]));
    }
    free(by_string);
    if (list->rows == NULL || list->values == NULL)
        return MPROF_E_NOMEM;
    if (list->count != 0)
        qsort(list->rows, list->count, sizeof(*list->rows), compare_rows);
    return MPROF_E_OK;
}

void mpdata_type_list_fini(struct mpdata_type_list *list)
{
    free(list->rows);
    free(list->values);
    *list = (struct mpdata_type_list){.count = 0};
}
