/* event_list.c -- lists the events of a profile.
 *
 * The tagged rows of a canonical profile are sorted by kind and name, so the
 * rows of each name are adjacent.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/event_list.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

static int compare_sums(const struct mpdata_event_sum *a,
                        const struct mpdata_event_sum *b)
{
    return mprof_compare_u64_pair(b->weight, a->weight, b->count, a->count);
}

MPROF_COMPARATOR(compare_names, struct mpdata_event_name,
                 compare_sums(&a->sum, &b->sum) ?: MPROF_UP(name))

MPROF_COMPARATOR(compare_rows, struct mpdata_event_row,
                 compare_sums(&a->sum, &b->sum) ?: MPROF_UP(tagged))

static void add_sum(struct mpdata_event_sum *to,
                    const struct mpdata_event_sum *from)
{
    to->lightest = to->count != 0 ? mprof_min_u64(to->lightest, from->lightest)
                                  : from->lightest;
    to->heaviest = mprof_max_u64(to->heaviest, from->heaviest);
    to->count = mprof_add_sat_u64(to->count, from->count);
    to->weight = mprof_add_sat_u64(to->weight, from->weight);
}

static void add_row(struct mpdata_event_list *list,
                    const struct mpdata_view *view, uint32_t tagged)
{
    const struct mprof_mib mib = mpdata_view_tagged_mib(view, tagged);
    struct mpdata_event_row *const row = &list->rows[list->row_count];

    if (list->name_count == 0 || list->names[list->name_count - 1].name !=
                                     view->tagged_rows[tagged].name)
        list->names[list->name_count++] = (struct mpdata_event_name){
            .name = view->tagged_rows[tagged].name, .first = list->row_count};
    struct mpdata_event_name *name = &list->names[list->name_count - 1];
    *row = (struct mpdata_event_row){.tagged = tagged,
                                     .sum = {.count = mib.AllocCount,
                                             .weight = mib.TotalSize,
                                             .lightest = mib.MinSize,
                                             .heaviest = mib.MaxSize}};
    add_sum(&name->sum, &row->sum);
    add_sum(&list->all, &row->sum);
    name->count++;
    list->row_count++;
}

static void number_names(struct mpdata_event_list *list)
{
    for (uint32_t i = 0; i < list->name_count; i++) {
        const struct mpdata_event_name *const name = &list->names[i];

        for (uint32_t k = 0; k < name->count; k++)
            list->rows[name->first + k].name = i;
    }
}

enum mprof_err mpdata_event_list_make(struct mpdata_event_list *list,
                                      const struct mpdata_profile *profile,
                                      enum mprof_tag_kind kind)
{
    const struct mpdata_view view = mpdata_profile_view(profile);

    *list = (struct mpdata_event_list){
        .names = mpdata_vec_array(view.tagged_count, sizeof(*list->names)),
        .rows = mpdata_vec_array(view.tagged_count, sizeof(*list->rows))};
    if (list->names == NULL || list->rows == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < view.tagged_count; i++) {
        if (view.tagged_rows[i].kind == kind)
            add_row(list, &view, i);
    }
    for (uint32_t i = 0; i < list->name_count; i++)
        qsort(&list->rows[list->names[i].first], list->names[i].count,
              sizeof(*list->rows), compare_rows);
    if (list->name_count != 0)
        qsort(list->names, list->name_count, sizeof(*list->names),
              compare_names);
    number_names(list);
    return MPROF_E_OK;
}

void mpdata_event_list_mix(struct mpdata_event_list *list)
{
    if (list->row_count != 0)
        qsort(list->rows, list->row_count, sizeof(*list->rows), compare_rows);
}

void mpdata_event_list_fini(struct mpdata_event_list *list)
{
    free(list->names);
    free(list->rows);
    *list = (struct mpdata_event_list){.name_count = 0};
}
