/* pairing_align.c -- calls in a function, aligned as diff aligns lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/compare/pairing_align.h"
#include "profdata/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Beyond that many pairs to look at, places alone decide: it would take long,
 * and a function that large and so much edited is rare. */
#define PAIRS_MAX (1u << 18)
/* Of the worth of an alignment: a pair more is worth more than any number of
 * measurements that stay, and such a one more than any number of places. */
#define WORTH_PAIR (UINT64_C(1) << 40)
#define WORTH_SAME (UINT64_C(1) << 20)
#define WORTH_PLACE UINT64_C(1)

/* Of one profile: indexes of sites, in the order of functions and places. */
struct list {
    struct mpdata_site *sites;
    uint32_t *order;
    uint32_t count;
    uint64_t runs;
};

struct align {
    struct list lists[2];
    uint64_t *worth; /* of the ends of both lists, (n + 1) * (m + 1) */
    uint32_t next;   /* number that is free */
};

#define UNNUMBERED UINT32_MAX

static int compare_sites(const void *left, const void *right, void *context)
{
    const struct mpdata_site *const sites = (const struct mpdata_site *)context;
    const struct mpdata_site *const a = &sites[*(const uint32_t *)left];
    const struct mpdata_site *const b = &sites[*(const uint32_t *)right];
    int order = mprof_compare_u64(a->function, b->function);

    if (order == 0)
        order = mprof_compare_u64(a->place, b->place);
    if (order == 0)
        order = mprof_compare_u64(a->column, b->column);
    return order != 0 ? order : mprof_compare_u64(a->callee, b->callee);
}

static bool is_same_place(const struct mpdata_site *a,
                          const struct mpdata_site *b)
{
    return a->place == b->place && a->column == b->column;
}

static bool is_same_amount(const struct align *a, uint64_t x, uint64_t y)
{
    return (unsigned __int128)x * a->lists[1].runs ==
           (unsigned __int128)y * a->lists[0].runs;
}

static struct mpdata_site *site_at(const struct align *a, int side, uint32_t i)
{
    return &a->lists[side].sites[a->lists[side].order[i]];
}

static bool is_unchanged(const struct align *a, const struct mpdata_site *x,
                         const struct mpdata_site *y)
{
    return is_same_amount(a, x->blocks, y->blocks) &&
           is_same_amount(a, x->bytes, y->bytes);
}

static void pair(struct align *a, struct mpdata_site *x, struct mpdata_site *y)
{
    x->number = a->next;
    y->number = a->next++;
}

/* What pairing them is worth; 0: they cannot be. */
static uint64_t worth_of(const struct align *a, const struct mpdata_site *x,
                         const struct mpdata_site *y)
{
    if (x->callee != y->callee)
        return 0;
    return WORTH_PAIR + (is_unchanged(a, x, y) ? WORTH_SAME : 0) +
           (is_same_place(x, y) ? WORTH_PLACE : 0);
}

/* The calls of one function: rows of both orders. */
struct range {
    uint32_t first[2];
    uint32_t end[2];
};

static uint32_t range_size(const struct range *r, int side)
{
    return r->end[side] - r->first[side];
}

static bool has_same_calls(const struct align *a, const struct range *r)
{
    const uint32_t count = range_size(r, 0);

    if (count != range_size(r, 1))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_site *x = site_at(a, 0, r->first[0] + i);
        const struct mpdata_site *y = site_at(a, 1, r->first[1] + i);

        if (!is_same_place(x, y) || x->callee != y->callee)
            return false;
    }
    return true;
}

/* Pairs by places alone. */
static void pair_places(struct align *a, const struct range *r)
{
    uint32_t i = r->first[0];
    uint32_t k = r->first[1];

    while (i < r->end[0] && k < r->end[1]) {
        struct mpdata_site *const x = site_at(a, 0, i);
        struct mpdata_site *const y = site_at(a, 1, k);
        int order = mprof_compare_u64(x->place, y->place);

        if (order == 0)
            order = mprof_compare_u64(x->column, y->column);
        if (order == 0)
            order = mprof_compare_u64(x->callee, y->callee);
        if (order == 0)
            pair(a, x, y);
        i += order <= 0;
        k += order >= 0;
    }
}

/* Leaves out what both begin and end with unchanged. */
static void trim(struct align *a, struct range *r)
{
    const uint64_t whole = WORTH_PAIR + WORTH_SAME + WORTH_PLACE;

    while (r->first[0] < r->end[0] && r->first[1] < r->end[1] &&
           worth_of(a, site_at(a, 0, r->first[0]),
                    site_at(a, 1, r->first[1])) == whole)
        pair(a, site_at(a, 0, r->first[0]++), site_at(a, 1, r->first[1]++));
    while (r->first[0] < r->end[0] && r->first[1] < r->end[1] &&
           worth_of(a, site_at(a, 0, r->end[0] - 1),
                    site_at(a, 1, r->end[1] - 1)) == whole)
        pair(a, site_at(a, 0, --r->end[0]), site_at(a, 1, --r->end[1]));
}

/* The alignment that is worth most; of equal ones that which pairs earlier. */
static void pair_in_order(struct align *a, const struct range *r)
{
    const uint32_t n = range_size(r, 0);
    const uint32_t m = range_size(r, 1);
    const size_t width = (size_t)m + 1;

    memset(&a->worth[n * width], 0, width * sizeof(*a->worth));
    for (uint32_t i = n; i-- > 0;) {
        uint64_t *const row = &a->worth[i * width];

        row[m] = 0;
        for (uint32_t k = m; k-- > 0;) {
            const uint64_t worth = worth_of(a, site_at(a, 0, r->first[0] + i),
                                            site_at(a, 1, r->first[1] + k));

            row[k] = mprof_max_u64(row[k + 1], row[width + k]);
            if (worth != 0)
                row[k] = mprof_max_u64(row[k], row[width + k + 1] + worth);
        }
    }
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        struct mpdata_site *const x = site_at(a, 0, r->first[0] + i);
        struct mpdata_site *const y = site_at(a, 1, r->first[1] + k);
        const uint64_t *const row = &a->worth[i * width + k];
        const uint64_t worth = worth_of(a, x, y);

        if (worth != 0 && row[0] == row[width + 1] + worth) {
            pair(a, x, y);
            i++;
            k++;
        } else if (row[0] == row[1]) {
            k++;
        } else {
            i++;
        }
    }
}

/* What is left over and calls the same function. Few are: what is looked for is
 * looked for from where the last one of its kind was found. */
static void pair_moved(struct align *a, const struct range *r)
{
    for (uint32_t i = r->first[0]; i < r->end[0]; i++) {
        struct mpdata_site *const x = site_at(a, 0, i);

        for (uint32_t k = r->first[1]; x->number == UNNUMBERED && k < r->end[1];
             k++) {
            struct mpdata_site *const y = site_at(a, 1, k);

            if (y->number == UNNUMBERED && x->callee == y->callee)
                pair(a, x, y);
        }
    }
}

static void align_function(struct align *a, struct range *r)
{
    if (has_same_calls(a, r)) {
        pair_places(a, r);
        return;
    }
    trim(a, r);
    if ((uint64_t)(range_size(r, 0) + 1) * (range_size(r, 1) + 1) > PAIRS_MAX) {
        pair_places(a, r);
        return;
    }
    pair_in_order(a, r);
    pair_moved(a, r);
}

static uint32_t end_of_function(const struct align *a, int side, uint32_t first)
{
    uint32_t end = first;

    while (end < a->lists[side].count &&
           site_at(a, side, end)->function == site_at(a, side, first)->function)
        end++;
    return end;
}

static void go_on(const struct align *a, struct range *r, int side)
{
    r->first[side] = r->end[side];
    r->end[side] = end_of_function(a, side, r->first[side]);
}

static void align_functions(struct align *a)
{
    struct range r = {{0, 0}, {0, 0}};

    go_on(a, &r, 0);
    go_on(a, &r, 1);
    while (range_size(&r, 0) != 0 && range_size(&r, 1) != 0) {
        const uint32_t x = site_at(a, 0, r.first[0])->function;
        const uint32_t y = site_at(a, 1, r.first[1])->function;
        struct range both = r;

        if (x == y)
            align_function(a, &both);
        if (x <= y)
            go_on(a, &r, 0);
        if (x >= y)
            go_on(a, &r, 1);
    }
}

static bool sort_list(struct list *list)
{
    list->order =
        (uint32_t *)mpdata_vec_array(list->count, sizeof(*list->order));
    for (uint32_t i = 0; list->order != NULL && i < list->count; i++) {
        list->order[i] = i;
        list->sites[i].number = UNNUMBERED;
    }
    if (list->order != NULL && list->count != 0)
        qsort_r(list->order, list->count, sizeof(*list->order), compare_sites,
                list->sites);
    return list->order != NULL;
}

/* Numbers of what has no partner. */
static void number_rest(struct align *a)
{
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < a->lists[side].count; i++) {
            struct mpdata_site *const site = site_at(a, side, i);

            if (site->number == UNNUMBERED)
                site->number = a->next++;
        }
    }
}

enum mprof_err mpdata_pairing_align(struct mpdata_site *const sites[2],
                                    const uint32_t counts[2],
                                    const uint64_t runs[2], uint32_t *count)
{
    struct align a = {
        .lists = {{.sites = sites[0], .count = counts[0], .runs = runs[0]},
                  {.sites = sites[1], .count = counts[1], .runs = runs[1]}},
        .worth = (uint64_t *)mpdata_vec_array(PAIRS_MAX, sizeof(uint64_t))};
    const bool is_sorted = sort_list(&a.lists[0]) && sort_list(&a.lists[1]);

    if (is_sorted && a.worth != NULL) {
        align_functions(&a);
        number_rest(&a);
    }
    *count = a.next;
    free(a.lists[0].order);
    free(a.lists[1].order);
    free(a.worth);
    return is_sorted && a.worth != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
}
