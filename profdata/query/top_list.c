/* top_list.c -- contexts, ranked.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/top_list.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

struct ranking {
    const struct mpdata_context *contexts;
    size_t field;
};

/* Largest first; contexts of a canonical profile stand in a fixed order, which
 * decides between equal ones. */
static int compare_contexts(const void *left, const void *right, void *context)
{
    const struct ranking *const ranking = (const struct ranking *)context;
    const uint32_t i = *(const uint32_t *)left;
    const uint32_t k = *(const uint32_t *)right;
    const uint64_t a = mprof_mib_get(&ranking->contexts[i].mib, ranking->field);
    const uint64_t b = mprof_mib_get(&ranking->contexts[k].mib, ranking->field);

    if (a != b)
        return a > b ? -1 : 1;
    return (i > k) - (i < k);
}

bool mpdata_top_list_has_accesses(const struct mprof_mib *mib)
{
    return mib->TotalAccessCount != 0 || mib->TotalLifetimeAccessDensity == 0;
}

enum mprof_err mpdata_top_list_make(struct mpdata_top_list *list,
                                    const struct mpdata_profile *profile,
                                    size_t field, uint64_t max,
                                    const struct mpdata_top *whole)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct ranking ranking = {.contexts = view.contexts, .field = field};
    enum mprof_err err;

    *list = (struct mpdata_top_list){
        .context_count = view.context_count,
        .field = field,
        .rows = mpdata_vec_array(view.context_count, sizeof(uint32_t))};
    if (list->rows == NULL)
        return MPROF_E_NOMEM;
    err = mpdata_run_totals(&view, &list->runs);
    for (uint32_t i = 0; i < view.context_count; i++) {
        mprof_mib_merge(&list->totals, &view.contexts[i].mib);
        if (mprof_mib_get(&view.contexts[i].mib, field) != 0)
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
    list->has_accesses = mpdata_top_list_has_accesses(&list->totals);
    list->has_lifetimes =
        list->totals.TotalLifetimeNs != 0 || list->runs.resolution_ns != 0;
    return err;
}

void mpdata_top_list_fini(struct mpdata_top_list *list)
{
    free(list->rows);
    list->rows = NULL;
}
