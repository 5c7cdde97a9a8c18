/* source_list.c -- lists the lines of some functions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/lists.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

struct order {
    const struct mpdata_frame *frames;
    const uint32_t *rank; /* by function: its row + 1 */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Orders by rank of the function, file and line. */
static int compare_lines(const void *left, const void *right, void *context)
{
    const struct order *const order = context;
    const struct mpdata_group *const x =
        *(const struct mpdata_group *const *)left;
    const struct mpdata_group *const y =
        *(const struct mpdata_group *const *)right;
    const struct mpdata_frame *const a = &order->frames[x->frame];
    const struct mpdata_frame *const b = &order->frames[y->frame];
    int result =
        compare_numbers(order->rank[a->function], order->rank[b->function]);

    if (result == 0)
        result = compare_numbers(a->path, b->path);
    if (result == 0)
        result = compare_numbers(a->line, b->line);
    return result != 0 ? result : compare_numbers(x->frame, y->frame);
}

/* Is the frame's line known? If not, the function is listed without lines. */
static bool has_line(const struct mpdata_frame *frame)
{
    return frame->function != 0 && frame->path != 0 && frame->line != 0;
}

/* Returns by function of the profile: its row + 1. NULL when out of memory. */
static uint32_t *rank_functions(const struct mpdata_source_list *list,
                                const struct mpdata_view *view)
{
    uint32_t *const rank =
        mpdata_vec_array((size_t)view->function_count + 1, sizeof(*rank));

    for (uint32_t i = 0; rank != NULL && i < list->functions.count; i++)
        rank[view->frames[list->functions.rows[i].frame].function] = i + 1;
    return rank;
}

static bool is_same_part(const struct mpdata_frame *a,
                         const struct mpdata_frame *b)
{
    return a->function == b->function && a->path == b->path;
}

/* Returns the first line of a function if it is in the frame's file, else 0. */
static uint32_t begin_of(const struct mpdata_view *view,
                         const struct mpdata_frame *frame)
{
    const struct mpdata_function *const f =
        &view->functions[frame->function - 1];

    return f->path == frame->path && f->line <= frame->line ? f->line : 0;
}

/* Divides the sorted lines into parts. */
static bool make_parts(struct mpdata_source_list *list,
                       const struct mpdata_view *view, const uint32_t *rank,
                       uint32_t lines)
{
    list->parts = mpdata_vec_array((size_t)lines + list->functions.count,
                                   sizeof(*list->parts));
    for (uint32_t i = 0; list->parts != NULL && i < lines; i++) {
        const struct mpdata_frame *const f =
            &view->frames[list->lines[i]->frame];
        struct mpdata_source_part *part;

        if (i == 0 ||
            !is_same_part(f, &view->frames[list->lines[i - 1]->frame])) {
            part = &list->parts[list->count++];
            part->function = &list->functions.rows[rank[f->function] - 1];
            part->path = f->path;
            part->begin = begin_of(view, f);
            part->first = i;
        }
        list->parts[list->count - 1].count++;
    }
    return list->parts != NULL;
}

/* Adds the functions without known lines. */
static bool add_lineless(struct mpdata_source_list *list,
                         const struct mpdata_view *view, const bool *is_frame)
{
    uint8_t *const has_part =
        mpdata_vec_array((size_t)list->functions.count + 1, sizeof(*has_part));

    for (uint32_t i = 0; has_part != NULL && i < list->count; i++)
        has_part[list->parts[i].function - list->functions.rows] = 1;
    for (uint32_t i = 0; has_part != NULL && i < list->functions.count; i++) {
        const uint32_t frame = list->functions.rows[i].frame;

        if (is_frame[frame] && !has_part[i])
            list->parts[list->count++] = (struct mpdata_source_part){
                .function = &list->functions.rows[i],
                .path = view->frames[frame].path};
    }
    free(has_part);
    return has_part != NULL;
}

enum mprof_err mpdata_source_list_make(struct mpdata_source_list *list,
                                       const struct mpdata_profile *profile,
                                       const bool *is_frame,
                                       const enum mpdata_metric *metrics,
                                       size_t metric_count)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct order order = {.frames = view.frames};
    uint32_t *rank = NULL;
    uint32_t lines = 0;

    *list = (struct mpdata_source_list){.count = 0};
    enum mprof_err err = mpdata_groups_make(
        &list->functions, profile, MPDATA_BY_FUNCTION, metrics, metric_count);
    if (err == MPROF_E_OK)
        err = mpdata_groups_make(&list->calls, profile, MPDATA_BY_CALL, metrics,
                                 metric_count);
    if (err != MPROF_E_OK)
        return err;
    list->lines = mpdata_vec_array(list->calls.count, sizeof(*list->lines));
    rank = rank_functions(list, &view);
    if (list->lines == NULL || rank == NULL) {
        free(rank);
        return MPROF_E_NOMEM;
    }
    for (uint32_t i = 0; i < list->calls.count; i++) {
        const uint32_t frame = list->calls.rows[i].frame;

        if (is_frame[frame] && has_line(&view.frames[frame]))
            list->lines[lines++] = &list->calls.rows[i];
    }
    order.rank = rank;
    if (lines != 0)
        qsort_r(list->lines, lines, sizeof(*list->lines), compare_lines,
                &order);
    err = make_parts(list, &view, rank, lines) &&
                  add_lineless(list, &view, is_frame)
              ? MPROF_E_OK
              : MPROF_E_NOMEM;
    free(rank);
    return err;
}

void mpdata_source_list_fini(struct mpdata_source_list *list)
{
    mpdata_groups_fini(&list->functions);
    mpdata_groups_fini(&list->calls);
    free(list->parts);
    free(list->lines);
    *list = (struct mpdata_source_list){.count = 0};
}
