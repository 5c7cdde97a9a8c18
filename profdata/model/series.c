/* series.c -- runs over time: chooses the series to keep.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/series.h"

#include <stdlib.h>
#include <string.h>

void mpdata_series_init(struct mpdata_vec *rows)
{
    *rows = (struct mpdata_vec){.elem_bytes = sizeof(struct mpdata_series)};
}

static void free_series(struct mpdata_series *series)
{
    free(series->samples);
    free(series->marks);
}

void mpdata_series_fini(struct mpdata_vec *rows)
{
    struct mpdata_series *const series = rows->data;

    for (uint32_t i = 0; i < rows->count; i++)
        free_series(&series[i]);
    mpdata_vec_fini(rows);
}

static bool copy_series(struct mpdata_series *to,
                        const struct mpdata_series *from)
{
    *to = *from;
    to->samples = mpdata_vec_array(from->sample_count, sizeof(*to->samples));
    to->marks = mpdata_vec_array(from->mark_count, sizeof(*to->marks));
    if (to->samples == NULL || to->marks == NULL) {
        free_series(to);
        return false;
    }
    if (from->sample_count != 0)
        memcpy(to->samples, from->samples,
               from->sample_count * sizeof(*to->samples));
    if (from->mark_count != 0)
        memcpy(to->marks, from->marks, from->mark_count * sizeof(*to->marks));
    return true;
}

static uint64_t end_of(const struct mpdata_series *series)
{
    return series->sample_count != 0
               ? series->samples[series->sample_count - 1].ns
               : 0;
}

/* Fields that grow from dump to dump, the most significant first. */
enum { PROGRESS_FIELDS = 6 };

static void find_progress(const struct mpdata_series *series,
                          uint64_t fields[PROGRESS_FIELDS])
{
    fields[0] = series->until_ns;
    fields[1] = series->step_ns;
    fields[2] = end_of(series);
    fields[3] = series->sample_count;
    fields[4] = series->mark_count;
    fields[5] = series->dropped_marks;
}

/* An arbitrary order of series with equal numbers of samples and marks. */
static int compare_values(const struct mpdata_series *a,
                          const struct mpdata_series *b)
{
    int order = 0;

    for (uint32_t i = a->sample_count; i > 0 && order == 0; i--) {
        const struct mpdata_sample *const x = &a->samples[i - 1];
        const struct mpdata_sample *const y = &b->samples[i - 1];

        order = mprof_compare_u64(x->most, y->most);
        if (order == 0)
            order = memcmp(x, y, sizeof(*x));
    }
    for (uint32_t i = 0; i < a->mark_count && order == 0; i++) {
        order = mprof_compare_u64(a->marks[i].ns, b->marks[i].ns);
        if (order == 0)
            order = mprof_compare_u64(a->marks[i].bytes, b->marks[i].bytes);
        if (order == 0)
            order = mprof_compare_u64(a->marks[i].kind, b->marks[i].kind);
    }
    return order;
}

/* Is a's dump the later one? A later dump includes the earlier one of the same
 * run. The choice must not depend on the order of additions. */
static bool is_later(const struct mpdata_series *a,
                     const struct mpdata_series *b)
{
    uint64_t x[PROGRESS_FIELDS];
    uint64_t y[PROGRESS_FIELDS];

    find_progress(a, x);
    find_progress(b, y);
    for (int i = 0; i < PROGRESS_FIELDS; i++) {
        if (x[i] != y[i])
            return x[i] > y[i];
    }
    return compare_values(a, b) > 0;
}

bool mpdata_series_add(struct mpdata_vec *rows,
                       const struct mpdata_series *series)
{
    struct mpdata_series *list = rows->data;
    struct mpdata_series copy;
    uint32_t at = 0;

    while (at < rows->count && list[at].run_id < series->run_id)
        at++;
    const bool is_there = at < rows->count && list[at].run_id == series->run_id;
    if (at == MPDATA_SERIES_MAX || (is_there && !is_later(series, &list[at])))
        return true;
    if (!mpdata_vec_reserve(rows, MPDATA_SERIES_MAX) ||
        !copy_series(&copy, series))
        return false;
    list = rows->data;
    if (is_there) {
        free_series(&list[at]);
    } else {
        if (rows->count == MPDATA_SERIES_MAX)
            free_series(&list[--rows->count]);
        memmove(&list[at + 1], &list[at], (rows->count - at) * sizeof(*list));
        rows->count++;
    }
    list[at] = copy;
    return true;
}
