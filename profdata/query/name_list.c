/* name_list.c -- sums up a profile by type, thread or pool.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/name_list.h"
#include "profdata/base/vec.h"
#include "profdata/query/types.h"
#include "shared/tag_format.h"

#include <stdlib.h>

/* State. name_of() and value_of() return the name and a metric of one of the
 * profile's `row_count` rows: contexts or tagged rows. */
struct maker {
    struct mpdata_name_list *list;
    struct mpdata_view view;
    const enum mpdata_metric *metrics;
    size_t metric_count;
    uint32_t row_count;
    bool (*name_of)(const struct mpdata_view *view, uint32_t i,
                    mpdata_string *name);
    uint64_t (*value_of)(const struct mpdata_view *view, uint32_t i,
                         enum mpdata_metric metric);
    uint32_t *by_string; /* by string: its row + 1 */
};

static int compare_rows(const void *left, const void *right, void *context)
{
    const size_t divisor = *(const size_t *)context;
    const struct mpdata_name_row *const a =
        (const struct mpdata_name_row *)left;
    const struct mpdata_name_row *const b =
        (const struct mpdata_name_row *)right;

    const int order =
        mprof_compare_u64(mpdata_metrics_rank(b->values, divisor),
                          mpdata_metrics_rank(a->values, divisor));

    return order != 0 ? order : mprof_compare_u64(a->name, b->name);
}

static void number_names(struct maker *m)
{
    for (uint32_t i = 0; i < m->row_count; i++) {
        mpdata_string name;

        if (!m->name_of(&m->view, i, &name) || m->by_string[name] != 0)
            continue;
        m->by_string[name] = ++m->list->count;
        m->list->known += name != 0;
    }
}

static void add_values(const struct maker *m)
{
    for (uint32_t i = 0; i < m->row_count; i++) {
        struct mpdata_name_row *row;
        mpdata_string name;

        if (!m->name_of(&m->view, i, &name))
            continue;
        row = &m->list->rows[m->by_string[name] - 1];
        row->name = name;
        for (size_t k = 0; k < m->metric_count; k++)
            row->values[k] = mprof_add_sat_u64(
                row->values[k], m->value_of(&m->view, i, m->metrics[k]));
    }
}

/* Allocates one row more than there are names. */
static bool make_rows(const struct maker *m)
{
    struct mpdata_name_list *const list = m->list;
    const size_t room = (size_t)list->count + 1;

    list->rows =
        (struct mpdata_name_row *)mpdata_vec_array(room, sizeof(*list->rows));
    list->values = (uint64_t *)mpdata_vec_array(room * m->metric_count,
                                                sizeof(*list->values));
    for (size_t i = 0; list->rows != NULL && list->values != NULL && i < room;
         i++)
        list->rows[i].values = &list->values[i * m->metric_count];
    return list->rows != NULL && list->values != NULL;
}

static enum mprof_err make(struct maker *m)
{
    bool is_made;

    *m->list = (struct mpdata_name_list){
        .divisor = mpdata_metrics_divisor(m->metrics, m->metric_count)};
    m->by_string = (uint32_t *)mpdata_vec_array(m->view.string_count,
                                                sizeof(*m->by_string));
    if (m->by_string == NULL)
        return MPROF_E_NOMEM;
    number_names(m);
    is_made = make_rows(m);
    if (is_made)
        add_values(m);
    free(m->by_string);
    return is_made ? MPROF_E_OK : MPROF_E_NOMEM;
}

static void sort_rows(struct mpdata_name_list *list)
{
    if (list->count != 0)
        qsort_r(list->rows, list->count, sizeof(*list->rows), compare_rows,
                &list->divisor);
}

/* Makes the sorted list. */
static enum mprof_err make_sorted(struct maker *m)
{
    const enum mprof_err err = make(m);

    if (err == MPROF_E_OK)
        sort_rows(m->list);
    return err;
}

static bool type_of(const struct mpdata_view *view, uint32_t i,
                    mpdata_string *name)
{
    *name = mpdata_types_of(view, view->contexts[i].node);
    return true;
}

enum mprof_err mpdata_name_list_types(struct mpdata_name_list *list,
                                      const struct mpdata_profile *profile,
                                      const enum mpdata_metric *metrics,
                                      size_t metric_count)
{
    struct maker m = {.list = list,
                      .view = mpdata_profile_view(profile),
                      .metrics = metrics,
                      .metric_count = metric_count,
                      .name_of = type_of,
                      .value_of = mpdata_metrics_value};

    m.row_count = m.view.context_count;
    return make_sorted(&m);
}

static bool thread_of(const struct mpdata_view *view, uint32_t i,
                      mpdata_string *name)
{
    *name = view->tagged_rows[i].name;
    return view->tagged_rows[i].kind == MPROF_TAG_THREAD;
}

static bool pool_of(const struct mpdata_view *view, uint32_t i,
                    mpdata_string *name)
{
    *name = view->tagged_rows[i].name;
    return view->tagged_rows[i].kind == MPROF_TAG_POOL;
}

static uint64_t tagged_value(const struct mpdata_view *view, uint32_t i,
                             enum mpdata_metric metric)
{
    return mpdata_view_tagged_field(view, i, mpdata_metrics[metric].field);
}

/* Adds a row without a name: allocations of runs that did not record threads.
 */
static void add_rest(struct mpdata_name_list *list,
                     const struct mprof_mib *totals,
                     const enum mpdata_metric *metrics, size_t metric_count)
{
    struct mpdata_name_row *const rest = &list->rows[list->count];
    bool is_empty = true;

    for (size_t k = 0; k < metric_count; k++) {
        uint64_t left = mpdata_metrics_get(totals, metrics[k]);

        for (uint32_t i = 0; i < list->count; i++)
            left = mprof_sub_sat_u64(left, list->rows[i].values[k]);
        rest->values[k] = left;
        is_empty = is_empty && left == 0;
    }
    list->count += !is_empty;
}

enum mprof_err mpdata_name_list_pools(struct mpdata_name_list *list,
                                      const struct mpdata_profile *profile,
                                      const enum mpdata_metric *metrics,
                                      size_t metric_count)
{
    struct maker m = {.list = list,
                      .view = mpdata_profile_view(profile),
                      .metrics = metrics,
                      .metric_count = metric_count,
                      .name_of = pool_of,
                      .value_of = tagged_value};
    enum mprof_err err;

    m.row_count = m.view.tagged_count;
    err = make_sorted(&m);
    list->known = list->count;
    return err;
}

enum mprof_err mpdata_name_list_threads(struct mpdata_name_list *list,
                                        const struct mpdata_profile *profile,
                                        const enum mpdata_metric *metrics,
                                        size_t metric_count)
{
    struct maker m = {.list = list,
                      .view = mpdata_profile_view(profile),
                      .metrics = metrics,
                      .metric_count = metric_count,
                      .name_of = thread_of,
                      .value_of = tagged_value};
    struct mprof_mib totals;
    enum mprof_err err;

    m.row_count = m.view.tagged_count;
    err = make(&m);
    if (err != MPROF_E_OK)
        return err;
    totals = mpdata_profile_totals(&m.view);
    add_rest(list, &totals, metrics, metric_count);
    sort_rows(list);
    return MPROF_E_OK;
}

void mpdata_name_list_fini(struct mpdata_name_list *list)
{
    free(list->rows);
    free(list->values);
    *list = (struct mpdata_name_list){.count = 0};
}
