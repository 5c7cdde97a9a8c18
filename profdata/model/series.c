/* series.c -- runs over time: which of them are kept.
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

/* The later dump of one run tells what the earlier one does. */
static bool is_longer(const struct mpdata_series *a,
                      const struct mpdata_series *b)
{
    if (end_of(a) != end_of(b))
        return end_of(a) > end_of(b);
    if (a->sample_count != b->sample_count)
        return a->sample_count > b->sample_count;
    return a->mark_count > b->mark_count;
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
    if (at == MPDATA_SERIES_MAX || (is_there && !is_longer(series, &list[at])))
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
