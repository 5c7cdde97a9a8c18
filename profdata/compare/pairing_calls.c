/* pairing_calls.c -- pairs the call sites of one function for one callee, in
 * the order of their offsets.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/compare/pairing.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

#define UNNUMBERED UINT32_MAX
/* Number of candidates per call site, to keep the time linear. */
#define WINDOW 256u

struct pairer {
    struct mpdata_site *const *sites;
    const uint32_t *counts;
    const uint64_t *runs;
    bool is_one_build;
    uint32_t *order[2]; /* indexes of sites, sorted */
    uint32_t next;      /* next unused number */
};

static struct mpdata_site *site_at(const struct pairer *p, int side, uint32_t i)
{
    return &p->sites[side][p->order[side][i]];
}

static int compare_calls(const struct mpdata_site *a,
                         const struct mpdata_site *b)
{
    return mprof_compare_u64_pair(a->function, b->function, a->callee,
                                  b->callee);
}

static int compare_offsets(const struct mpdata_site *a,
                           const struct mpdata_site *b)
{
    return mprof_compare_u64_pair(a->offset, b->offset, a->column, b->column);
}

static int compare_sites(const void *left, const void *right, void *context)
{
    const struct mpdata_site *const sites = context;
    const struct mpdata_site *const a = &sites[*(const uint32_t *)left];
    const struct mpdata_site *const b = &sites[*(const uint32_t *)right];
    const int order = compare_calls(a, b);

    return order != 0 ? order : compare_offsets(a, b);
}

/* -- pairs ----------------------------------------------------------------- */

/* The call sites of one function for one callee: rows of both orders. */
struct range {
    uint32_t first[2];
    uint32_t end[2];
};

typedef bool fits_fn(const struct pairer *p, const struct mpdata_site *x,
                     const struct mpdata_site *y);

static bool fits_amounts(const struct pairer *p, const struct mpdata_site *x,
                         const struct mpdata_site *y)
{
    const unsigned __int128 old_runs = p->runs[0];
    const unsigned __int128 new_runs = p->runs[1];

    return x->blocks * new_runs == y->blocks * old_runs &&
           x->bytes * new_runs == y->bytes * old_runs;
}

static bool fits_offset(const struct pairer *p, const struct mpdata_site *x,
                        const struct mpdata_site *y)
{
    (void)p;
    return compare_offsets(x, y) == 0;
}

static bool fits_any(const struct pairer *p, const struct mpdata_site *x,
                     const struct mpdata_site *y)
{
    (void)p;
    (void)x;
    (void)y;
    return true;
}

/* Pairs unnumbered sites for which fits() is true, in the order of offsets. */
static void pair_fitting(struct pairer *p, const struct range *r, fits_fn *fits)
{
    uint32_t next = r->first[1];

    for (uint32_t i = r->first[0]; i < r->end[0]; i++) {
        struct mpdata_site *const x = site_at(p, 0, i);

        while (next < r->end[1] && site_at(p, 1, next)->number != UNNUMBERED)
            next++;
        for (uint32_t k = next;
             x->number == UNNUMBERED && k < r->end[1] && k - next < WINDOW;
             k++) {
            struct mpdata_site *const y = site_at(p, 1, k);

            if (y->number != UNNUMBERED || !fits(p, x, y))
                continue;
            x->number = p->next;
            y->number = p->next++;
            next = k + 1;
        }
    }
}

static void pair_range(struct pairer *p, const struct range *r)
{
    const bool are_as_many = r->end[0] - r->first[0] == r->end[1] - r->first[1];

    if (!are_as_many && !p->is_one_build)
        pair_fitting(p, r, fits_amounts);
    if (!are_as_many || p->is_one_build)
        pair_fitting(p, r, fits_offset);
    if (!p->is_one_build)
        pair_fitting(p, r, fits_any);
}

/* -- all sites ------------------------------------------------------------- */

/* Moves the range of a side to the next pair of function and callee. */
static void next_range(const struct pairer *p, struct range *r, int side)
{
    uint32_t end = r->end[side];

    r->first[side] = end;
    while (end < p->counts[side] &&
           compare_calls(site_at(p, side, end),
                         site_at(p, side, r->first[side])) == 0)
        end++;
    r->end[side] = end;
}

static void pair_all(struct pairer *p)
{
    struct range r = {{0, 0}, {0, 0}};

    next_range(p, &r, 0);
    next_range(p, &r, 1);
    while (r.first[0] < r.end[0] && r.first[1] < r.end[1]) {
        const int order =
            compare_calls(site_at(p, 0, r.first[0]), site_at(p, 1, r.first[1]));

        if (order == 0)
            pair_range(p, &r);
        if (order <= 0)
            next_range(p, &r, 0);
        if (order >= 0)
            next_range(p, &r, 1);
    }
}

static bool sort(struct pairer *p, int side)
{
    const uint32_t count = p->counts[side];
    uint32_t *const order = mpdata_vec_array(count, sizeof(*order));

    p->order[side] = order;
    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        p->sites[side][i].number = UNNUMBERED;
    }
    if (count != 0)
        qsort_r(order, count, sizeof(*order), compare_sites, p->sites[side]);
    return true;
}

enum mprof_err mpdata_pairing_calls(struct mpdata_site *const sites[2],
                                    const uint32_t counts[2],
                                    const uint64_t runs[2], bool is_one_build,
                                    uint32_t *count)
{
    struct pairer p = {.sites = sites,
                       .counts = counts,
                       .runs = runs,
                       .is_one_build = is_one_build};
    const bool is_sorted = sort(&p, 0) && sort(&p, 1);

    if (is_sorted)
        pair_all(&p);
    for (int side = 0; is_sorted && side < 2; side++) {
        for (uint32_t i = 0; i < counts[side]; i++) {
            if (site_at(&p, side, i)->number == UNNUMBERED)
                site_at(&p, side, i)->number = p.next++;
        }
    }
    *count = p.next;
    free(p.order[0]);
    free(p.order[1]);
    return is_sorted ? MPROF_E_OK : MPROF_E_NOMEM;
}
