/* name_list.c -- sums up a profile by type, thread or pool.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/lists.h"
#include "profdata/base/vec.h"
#include "profdata/query/frames.h"
#include "shared/tag_format.h"

#include <stdlib.h>

struct maker {
    struct mpdata_name_list *list;
    struct mpdata_view view;
    enum mpdata_by by;
    const enum mpdata_metric *metrics;
    size_t metric_count;
    uint32_t row_count;  /* contexts, by type; else tagged rows */
    uint32_t *by_string; /* by string: its row + 1 */
};

/* Finds the name of a row. Returns false if the list does not count it. */
static bool name_of(const struct maker *m, uint32_t i, mpdata_string *name)
{
    if (m->by == MPDATA_BY_TYPE) {
        *name = mpdata_types_of(&m->view, m->view.contexts[i].node);
        return true;
    }
    const struct mpdata_tagged *row = &m->view.tagged_rows[i];
    *name = row->name;
    return row->kind ==
           (m->by == MPDATA_BY_THREAD ? MPROF_TAG_THREAD : MPROF_TAG_POOL);
}

static uint64_t value_of(const struct maker *m, uint32_t i,
                         enum mpdata_metric metric)
{
    return m->by == MPDATA_BY_TYPE
               ? mpdata_metrics_value(&m->view, i, metric)
               : mpdata_view_tagged_field(&m->view, i,
                                          mpdata_metrics[metric].field);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const size_t divisor = *(const size_t *)context;
    const struct mpdata_name_row *const a = left;
    const struct mpdata_name_row *const b = right;

    const int order =
        mprof_compare_u64(mpdata_metrics_rank(b->values, divisor),
                          mpdata_metrics_rank(a->values, divisor));

    return order != 0 ? order : mprof_compare_u64(a->name, b->name);
}

static void number_names(const struct maker *m)
{
    for (uint32_t i = 0; i < m->row_count; i++) {
        mpdata_string name;

        if (!name_of(m, i, &name) || m->by_string[name] != 0)
            continue;
        m->by_string[name] = ++m->list->count;
        m->list->known += name != 0;
    }
}

static void add_values(const struct maker *m)
{
    for (uint32_t i = 0; i < m->row_count; i++) {
        mpdata_string name;

        if (!name_of(m, i, &name))
            continue;
        struct mpdata_name_row *row = &m->list->rows[m->by_string[name] - 1];
        row->name = name;
        for (size_t k = 0; k < m->metric_count; k++)
            row->values[k] = mprof_add_sat_u64(row->values[k],
                                               value_of(m, i, m->metrics[k]));
    }
}

/* Allocates one row more than there are names. */
static bool make_rows(const struct maker *m)
{
    struct mpdata_name_list *const list = m->list;
    const size_t room = (size_t)list->count + 1;

    list->rows = mpdata_vec_array(room, sizeof(*list->rows));
    list->values =
        mpdata_vec_array(room * m->metric_count, sizeof(*list->values));
    for (size_t i = 0; list->rows != NULL && list->values != NULL && i < room;
         i++)
        list->rows[i].values = &list->values[i * m->metric_count];
    return list->rows != NULL && list->values != NULL;
}

/* Adds a row without a name: allocations of runs that did not record threads.
 */
static void add_rest(const struct maker *m)
{
    const struct mprof_mib totals = mpdata_profile_totals(&m->view);
    struct mpdata_name_list *const list = m->list;
    struct mpdata_name_row *const rest = &list->rows[list->count];
    bool is_empty = true;

    for (size_t k = 0; k < m->metric_count; k++) {
        uint64_t left = mpdata_metrics_get(&totals, m->metrics[k]);

        for (uint32_t i = 0; i < list->count; i++)
            left = mprof_sub_sat_u64(left, list->rows[i].values[k]);
        rest->values[k] = left;
        is_empty = is_empty && left == 0;
    }
    list->count += !is_empty;
}

enum mprof_err mpdata_name_list_make(struct mpdata_name_list *list,
                                     const struct mpdata_profile *profile,
                                     enum mpdata_by by,
                                     const enum mpdata_metric *metrics,
                                     size_t metric_count)
{
    struct maker m = {.list = list,
                      .view = mpdata_profile_view(profile),
                      .by = by,
                      .metrics = metrics,
                      .metric_count = metric_count};

    *list = (struct mpdata_name_list){
        .divisor = mpdata_metrics_divisor(metrics, metric_count)};
    m.row_count =
        by == MPDATA_BY_TYPE ? m.view.context_count : m.view.tagged_count;
    m.by_string = mpdata_vec_array(m.view.string_count, sizeof(*m.by_string));
    if (m.by_string == NULL)
        return MPROF_E_NOMEM;
    number_names(&m);
    bool is_made = make_rows(&m);
    if (is_made)
        add_values(&m);
    free(m.by_string);
    if (!is_made)
        return MPROF_E_NOMEM;
    if (by == MPDATA_BY_THREAD)
        add_rest(&m);
    if (by == MPDATA_BY_POOL)
        list->known = list->count;
    if (list->count != 0)
        qsort_r(list->rows, list->count, sizeof(*list->rows), compare_rows,
                &list->divisor);
    return MPROF_E_OK;
}

void mpdata_name_list_fini(struct mpdata_name_list *list)
{
    free(list->rows);
    free(list->values);
    *list = (struct mpdata_name_list){.count = 0};
}
