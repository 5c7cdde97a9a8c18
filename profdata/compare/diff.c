/* diff.c -- compares two profiles.
 *
 * Values per run are compared without division: each is multiplied by the
 * number of runs of the other profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/compare/diff.h"
#include "profdata/base/units.h"
#include "profdata/base/vec.h"
#include "profdata/query/lists.h"
#include "profdata/query/frames.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

#define OLD MPDATA_DIFF_OLD
#define NEW MPDATA_DIFF_NEW
/* Growth by this factor or more is printed as a factor. */
#define TIMES_MIN 10
#define TIMES_MAX 1e18

typedef unsigned __int128 wide;

/* -- numbers ------------------------------------------------------------------- */

static wide scale_old(const struct mpdata_diff *d, enum mpdata_metric metric,
                      uint64_t value)
{
    return (wide)value * d->sides[NEW].per[metric];
}

static wide scale_new(const struct mpdata_diff *d, enum mpdata_metric metric,
                      uint64_t value)
{
    return (wide)value * d->sides[OLD].per[metric];
}

/* Returns the absolute difference, multiplied by the runs of both profiles. */
static wide distance(const struct mpdata_diff *d, enum mpdata_metric metric,
                     uint64_t old_value, uint64_t new_value)
{
    const wide a = scale_old(d, metric, old_value);
    const wide b = scale_new(d, metric, new_value);

    return a > b ? a - b : b - a;
}

bool mpdata_diff_is_same(const struct mpdata_diff *d, enum mpdata_metric metric,
                         uint64_t old_value, uint64_t new_value)
{
    return distance(d, metric, old_value, new_value) == 0;
}

struct mpdata_diff_change mpdata_diff_change(const struct mpdata_diff *d,
                                             enum mpdata_metric metric,
                                             uint64_t old_value,
                                             uint64_t new_value)
{
    const wide both =
        (wide)d->sides[OLD].per[metric] * d->sides[NEW].per[metric];

    return (struct mpdata_diff_change){
        .is_less =
            scale_new(d, metric, new_value) < scale_old(d, metric, old_value),
        .amount =
            (uint64_t)((distance(d, metric, old_value, new_value) + both / 2) /
                       both)};
}

uint64_t mpdata_diff_value(const struct mpdata_diff *d, int side,
                           enum mpdata_metric metric, uint64_t value)
{
    const uint64_t per = d->sides[side].per[metric];

    return value / per + (value % per >= per - per / 2);
}

struct mpdata_number mpdata_diff_growth(const struct mpdata_diff *d,
                                        enum mpdata_metric metric,
                                        uint64_t old_value, uint64_t new_value)
{
    const double a = (double)scale_old(d, metric, old_value);
    const double b = (double)scale_new(d, metric, new_value);
    const double percent = (b - a) * 100 / a;
    /* Limit the ratio: sums over many runs can be arbitrarily large. */
    const double ratio = b / a < TIMES_MAX ? b / a : TIMES_MAX;

    if (mpdata_diff_is_same(d, metric, old_value, new_value))
        return (struct mpdata_number){""};
    if (old_value == 0)
        return (struct mpdata_number){"new"};
    if (ratio >= TIMES_MIN)
        return mpdata_units_format(
            "x%s", mpdata_units_count((uint64_t)(ratio + 0.5)).text);
    if (percent > -0.05 && percent < 0.05)
        return (struct mpdata_number){"<0.1 %"};
    return mpdata_units_format("%+.1f %%", percent);
}

struct mpdata_number
mpdata_diff_change_text(const struct mpdata_diff *d, enum mpdata_metric metric,
                        const uint64_t values[MPDATA_DIFF_SIDES])
{
    const struct mpdata_diff_change change =
        mpdata_diff_change(d, metric, values[OLD], values[NEW]);

    if (mpdata_diff_is_same(d, metric, values[OLD], values[NEW]))
        return (struct mpdata_number){"-"};
    return mpdata_units_format("%c%s", change.is_less ? '-' : '+',
                               mpdata_metrics_text(metric, change.amount).text);
}

const char *mpdata_diff_kind_name(enum mpdata_diff_kind kind)
{
    static const char *const names[] = {
#define X(id, name) name,
        MPDATA_DIFF_KINDS(X)
#undef X
    };

    return names[kind];
}

enum mpdata_diff_kind mpdata_diff_kind(const struct mpdata_diff *d,
                                       const struct mpdata_diff_row *row)
{
    const bool is_self =
        !mpdata_diff_is_same(d, d->metric, row->self[OLD], row->self[NEW]);
    const uint64_t *const values = is_self ? row->self : row->total;

    if (mpdata_diff_is_same(d, d->metric, values[OLD], values[NEW]))
        return MPDATA_DIFF_SAME_KIND;
    if (row->first[OLD] == 0)
        return MPDATA_DIFF_NEW_KIND;
    if (row->first[NEW] == 0)
        return MPDATA_DIFF_GONE_KIND;
    return mpdata_diff_change(d, d->metric, values[OLD], values[NEW]).is_less
               ? MPDATA_DIFF_SHRUNK_KIND
               : MPDATA_DIFF_GROWN_KIND;
}

void mpdata_diff_divisors(const struct mpdata_diff_side *side,
                          struct mpdata_json_out *json)
{
    const uint64_t runs = side->per[MPDATA_METRIC_BYTES]; /* of all runs */

    mpdata_json_out_number_of(json, "divided_by", runs);
    mpdata_json_out_map_of(json, "divided_by_metric");
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (side->held[m] && side->per[m] != runs)
            mpdata_json_out_number_of(json, mpdata_metrics[m].name,
                                      side->per[m]);
    }
    mpdata_json_out_close_map(json);
}

/* -- both profiles --------------------------------------------------------- */

static enum mprof_err add_up(struct mpdata_diff_side *side,
                             const struct mpdata_profile *profile)
{
    *side = (struct mpdata_diff_side){.profile = profile,
                                      .view = mpdata_profile_view(profile)};
    enum mprof_err err = mpdata_run_totals(&side->view, &side->runs);
    side->totals = mpdata_profile_totals(&side->view);
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        side->held[m] = mpdata_metrics_is_held((enum mpdata_metric)m,
                                               &side->totals, &side->runs);
    return err;
}

static bool is_held(const struct mpdata_diff *d, enum mpdata_metric metric)
{
    return d->sides[OLD].held[metric] && d->sides[NEW].held[metric];
}

static void choose_runs(struct mpdata_diff *d, bool is_absolute)
{
    struct mpdata_diff_side *const sides = d->sides;
    const bool is_known =
        sides[OLD].runs.runs != 0 && sides[NEW].runs.runs != 0;

    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        for (int side = 0; side < MPDATA_DIFF_SIDES; side++)
            sides[side].per[m] =
                mpdata_metrics_runs((enum mpdata_metric)m, &sides[side].runs);
        d->is_per_run |= !is_absolute && is_known &&
                         is_held(d, (enum mpdata_metric)m) &&
                         sides[OLD].per[m] != sides[NEW].per[m];
    }
    for (size_t m = 0; m < MPDATA_METRIC_COUNT && !d->is_per_run; m++)
        sides[OLD].per[m] = sides[NEW].per[m] = 1;
}

static enum mpdata_metric find_metric(const struct mpdata_diff *d)
{
    static const enum mpdata_metric telling[] = {
        MPDATA_METRIC_LEAKED, MPDATA_METRIC_LIVE, MPDATA_METRIC_PEAK,
        MPDATA_METRIC_BYTES};
    int first = 0;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(telling); i++) {
        const enum mpdata_metric metric = telling[i];

        if (is_held(d, metric) &&
            !mpdata_diff_is_same(
                d, metric, mpdata_metrics_get(&d->sides[OLD].totals, metric),
                mpdata_metrics_get(&d->sides[NEW].totals, metric)))
            return metric;
    }
    while (first < MPDATA_METRIC_COUNT - 1 &&
           !is_held(d, (enum mpdata_metric)first))
        first++;
    return (enum mpdata_metric)first;
}

/* -- rows ------------------------------------------------------------------ */

struct rows {
    struct mpdata_diff *diff;
    const struct mpdata_pairing *pairing;
    struct mpdata_vec vec; /* struct mpdata_diff_row */
    uint32_t *row_of;      /* by number of the pairing: its row + 1, or 0 */
    /* By number of the pairing: the last context that used it, + 1. */
    uint32_t *met;
};

/* Returns the row of a number, and creates it if necessary; NULL when out of
 * memory. */
static struct mpdata_diff_row *find_row(struct rows *r, uint32_t number)
{
    if (r->row_of[number] == 0) {
        if (mpdata_vec_push(&r->vec) == NULL)
            return NULL;
        r->row_of[number] = r->vec.count;
    }
    return (struct mpdata_diff_row *)r->vec.data + r->row_of[number] - 1;
}

static void add_self(struct mpdata_diff_row *row, int side, uint64_t value,
                     uint64_t blocks)
{
    row->self[side] = mprof_add_sat_u64(row->self[side], value);
    row->self_blocks[side] = mprof_add_sat_u64(row->self_blocks[side], blocks);
}

static void add_total(struct mpdata_diff_row *row, int side, uint64_t value,
                      uint64_t blocks)
{
    row->total[side] = mprof_add_sat_u64(row->total[side], value);
    row->total_blocks[side] =
        mprof_add_sat_u64(row->total_blocks[side], blocks);
}

static bool is_unseen(enum mpdata_metric metric, const struct mpdata_context *c,
                      uint64_t value)
{
    const size_t field = mpdata_metrics[metric].field;

    if (strcmp(mprof_mib_fields[field].unit, "accesses") != 0)
        return false;
    return (c->flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0 ||
           ((c->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) != 0 && value == 0);
}

/* Adds all contexts to their rows. Empty call stacks share a row of their own,
 * after the last number. */
static bool add_stacks(struct rows *r, int side)
{
    struct mpdata_diff_side *const s = &r->diff->sides[side];
    const uint32_t *const stacks = r->pairing->stacks[side];

    /* Backwards, so that each list of contexts ends up in ascending order. */
    for (uint32_t i = s->view.context_count; i-- > 0;) {
        const struct mpdata_context *const c = &s->view.contexts[i];
        const uint64_t value =
            mpdata_metrics_value(&s->view, i, r->diff->metric);
        const uint64_t blocks =
            mpdata_metrics_value(&s->view, i, MPDATA_METRIC_BLOCKS);
        struct mpdata_diff_row *const row =
            find_row(r, c->node != 0 ? stacks[i] : r->pairing->count);

        if (row == NULL)
            return false;
        s->next[i] = row->first[side];
        row->first[side] = i + 1;
        row->is_unmeasured |= is_unseen(r->diff->metric, c, value);
        add_self(row, side, value, blocks);
        add_total(row, side, value, blocks);
    }
    return true;
}

/* Returns the number of the group of a node in a call stack. `below` is the
 * next node towards the leaf, or 0. */
static uint32_t group_of(const struct rows *r, int side, mpdata_ref node,
                         mpdata_ref below)
{
    const struct mpdata_view *const view = &r->diff->sides[side].view;

    if (r->pairing->by != MPDATA_BY_LINE)
        return r->pairing->groups[side][view->nodes[node - 1].frame];
    return below != 0 ? r->pairing->groups[side][below - 1]
                      : r->pairing->leaves[side][node - 1];
}

static void add_frame(struct mpdata_diff_row *row, int side, uint32_t frame)
{
    if (row->first[side] == 0 || frame < row->first[side] - 1)
        row->first[side] = frame + 1;
}

static bool add_context(struct rows *r, int side, uint32_t i)
{
    const struct mpdata_view *const view = &r->diff->sides[side].view;
    const struct mpdata_context *const c = &view->contexts[i];
    const uint64_t value = mpdata_metrics_value(view, i, r->diff->metric);
    const uint64_t blocks = mpdata_metrics_value(view, i, MPDATA_METRIC_BLOCKS);
    mpdata_ref below = 0;

    for (mpdata_ref node = c->node; node != 0;
         below = node, node = view->nodes[node - 1].parent) {
        const uint32_t number = group_of(r, side, node, below);
        struct mpdata_diff_row *const row = find_row(r, number);

        if (row == NULL)
            return false;
        add_frame(row, side, view->nodes[node - 1].frame);
        if (below == 0) {
            add_self(row, side, value, blocks);
            row->is_unmeasured |= is_unseen(r->diff->metric, c, value);
        }
        if (r->met[number] == i + 1)
            continue;
        r->met[number] = i + 1;
        add_total(row, side, value, blocks);
    }
    return true;
}

static bool add_groups(struct rows *r, int side)
{
    const uint32_t count = r->diff->sides[side].view.context_count;

    memset(r->met, 0, ((size_t)r->pairing->count + 1) * sizeof(*r->met));
    for (uint32_t i = 0; i < count; i++) {
        if (!add_context(r, side, i))
            return false;
    }
    return true;
}

/* Marks rows whose accesses were not counted. Only types are known per context;
 * threads and pools are not. */
static void find_unseen_types(struct rows *r, int side)
{
    const struct mpdata_view *const view = &r->diff->sides[side].view;

    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mpdata_context *const c = &view->contexts[i];
        const uint64_t value = mpdata_metrics_value(view, i, r->diff->metric);

        if (is_unseen(r->diff->metric, c, value))
            find_row(r,
                     r->pairing->groups[side][mpdata_types_of(view, c->node)])
                ->is_unmeasured = true;
    }
}

static bool add_names(struct rows *r, int side)
{
    const enum mpdata_metric metrics[] = {r->diff->metric,
                                          MPDATA_METRIC_BLOCKS};
    struct mpdata_name_list list;
    bool is_done =
        mpdata_name_list_make(&list, r->diff->sides[side].profile,
                              r->pairing->by, metrics, 2) == MPROF_E_OK;

    for (uint32_t i = 0; is_done && i < list.count; i++) {
        const mpdata_string name = list.rows[i].name;
        const uint64_t *const values = list.rows[i].values;
        struct mpdata_diff_row *const row =
            find_row(r, r->pairing->groups[side][name]);

        is_done = row != NULL;
        if (row == NULL)
            break;
        row->first[side] = name + 1;
        add_self(row, side, values[0], values[1]);
        add_total(row, side, values[0], values[1]);
    }
    if (is_done && r->pairing->by == MPDATA_BY_TYPE)
        find_unseen_types(r, side);
    mpdata_name_list_fini(&list);
    return is_done;
}

static bool add_all(struct rows *r, int side)
{
    struct mpdata_diff_side *const s = &r->diff->sides[side];

    if (mpdata_by_is_name(r->pairing->by))
        return add_names(r, side);
    if (r->pairing->by != MPDATA_BY_STACK)
        return add_groups(r, side);
    s->next = mpdata_vec_array(s->view.context_count, sizeof(*s->next));
    return s->next != NULL && add_stacks(r, side);
}

static int compare_wide(wide a, wide b)
{
    return (a < b) - (a > b);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct mpdata_diff *const d = context;
    const struct mpdata_diff_row *const a = left;
    const struct mpdata_diff_row *const b = right;
    int order =
        compare_wide(distance(d, d->metric, a->self[OLD], a->self[NEW]),
                     distance(d, d->metric, b->self[OLD], b->self[NEW]));

    if (order == 0)
        order =
            compare_wide(distance(d, d->metric, a->total[OLD], a->total[NEW]),
                         distance(d, d->metric, b->total[OLD], b->total[NEW]));
    if (order == 0)
        order = mprof_compare_u64(a->first[NEW] - 1, b->first[NEW] - 1);
    return order != 0 ? order : mprof_compare_u64(a->first[OLD], b->first[OLD]);
}

/* Returns the average per block, which does not depend on the number of runs,
 * multiplied by side->per: the comparison divides by it. */
static uint64_t average_of(const struct mpdata_diff_side *side, uint64_t sum,
                           uint64_t blocks)
{
    return mprof_mul_sat_u64(sum / mprof_max_u64(blocks, 1),
                             side->per[MPDATA_METRIC_LIFETIME]);
}

static void average_rows(struct mpdata_diff *d, struct mpdata_vec *vec)
{
    struct mpdata_diff_row *const rows = vec->data;

    for (uint32_t i = 0; i < vec->count; i++) {
        for (int side = 0; side < MPDATA_DIFF_SIDES; side++) {
            rows[i].self[side] = average_of(&d->sides[side], rows[i].self[side],
                                            rows[i].self_blocks[side]);
            rows[i].total[side] =
                average_of(&d->sides[side], rows[i].total[side],
                           rows[i].total_blocks[side]);
        }
    }
}

/* Counts the rows by kind and keeps the requested ones. */
static void keep_wanted(struct mpdata_diff *d, struct mpdata_vec *vec,
                        bool keeps_same)
{
    d->rows = vec->data;
    for (uint32_t i = 0; i < vec->count; i++) {
        const enum mpdata_diff_kind kind = mpdata_diff_kind(d, &d->rows[i]);

        if (d->rows[i].is_unmeasured) {
            d->unmeasured++;
            continue;
        }
        d->kinds[kind]++;
        if (keeps_same || kind != MPDATA_DIFF_SAME_KIND)
            d->rows[d->count++] = d->rows[i];
    }
    if (d->count != 0)
        qsort_r(d->rows, d->count, sizeof(*d->rows), compare_rows, d);
}

static enum mprof_err make_rows(struct mpdata_diff *d,
                                const struct mpdata_pairing *pairing,
                                const struct mpdata_diff_options *options)
{
    const bool is_stack = d->by == MPDATA_BY_STACK;
    const size_t numbers = (size_t)pairing->count + 1;
    struct rows r = {
        .diff = d,
        .pairing = pairing,
        .vec = {.elem_bytes = sizeof(struct mpdata_diff_row)},
        .row_of = mpdata_vec_array(numbers, sizeof(uint32_t)),
        .met = mpdata_vec_array(is_stack ? 0 : numbers, sizeof(uint32_t))};
    bool is_done = r.row_of != NULL && r.met != NULL;

    for (int side = 0; is_done && side < MPDATA_DIFF_SIDES; side++)
        is_done = add_all(&r, side);
    free(r.row_of);
    free(r.met);
    if (options->is_average && d->metric == MPDATA_METRIC_LIFETIME)
        average_rows(d, &r.vec);
    keep_wanted(d, &r.vec, options->keeps_same);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

enum mprof_err mpdata_diff_make(struct mpdata_diff *d,
                                const struct mpdata_profile *const profiles[2],
                                const struct mpdata_diff_options *options)
{
    struct mpdata_pairing pairing;
    uint64_t runs[MPDATA_DIFF_SIDES];
    enum mprof_err err = MPROF_E_OK;

    *d = (struct mpdata_diff){.by = options->by, .metric = options->metric};
    for (int side = 0; err == MPROF_E_OK && side < MPDATA_DIFF_SIDES; side++)
        err = add_up(&d->sides[side], profiles[side]);
    if (err != MPROF_E_OK)
        return err;
    /* Accesses to blocks of pools are not counted. */
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++)
        d->sides[side].held[MPDATA_METRIC_ACCESSES] &= d->by != MPDATA_BY_POOL;
    choose_runs(d, options->is_absolute);
    if (options->finds_metric)
        d->metric = find_metric(d);
    d->is_held = is_held(d, d->metric);
    if (!d->is_held)
        return MPROF_E_OK;
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++)
        runs[side] = mprof_max_u64(d->sides[side].runs.runs, 1);
    err = mpdata_pairing_make(&pairing, profiles, runs, d->by);
    if (err == MPROF_E_OK)
        err = make_rows(d, &pairing, options);
    mpdata_pairing_fini(&pairing);
    return err;
}

void mpdata_diff_fini(struct mpdata_diff *d)
{
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++) {
        free(d->sides[side].next);
        d->sides[side].next = NULL;
    }
    free(d->rows);
    d->rows = NULL;
    d->count = 0;
}

void mpdata_diff_mib(const struct mpdata_diff *d,
                     const struct mpdata_diff_row *row, int side,
                     struct mprof_mib *mib, uint32_t *flags)
{
    const struct mpdata_diff_side *const s = &d->sides[side];

    *mib = (struct mprof_mib){.AllocCount = 0};
    *flags = 0;
    for (uint32_t ref = row->first[side]; ref != 0; ref = s->next[ref - 1]) {
        const struct mprof_mib one = mpdata_view_mib(&s->view, ref - 1);

        mprof_mib_merge(mib, &one);
        *flags |= s->view.contexts[ref - 1].flags;
    }
}

uint64_t mpdata_diff_metric(const struct mpdata_diff *d,
                            const struct mpdata_diff_row *row, int side,
                            enum mpdata_metric metric)
{
    const struct mpdata_diff_side *const s = &d->sides[side];
    uint64_t sum = 0;

    for (uint32_t ref = row->first[side]; ref != 0; ref = s->next[ref - 1])
        sum = mprof_add_sat_u64(
            sum, mpdata_metrics_value(&s->view, ref - 1, metric));
    return sum;
}

bool mpdata_diff_is_unmeasured(const struct mpdata_diff *d,
                               const struct mpdata_diff_row *row,
                               enum mpdata_metric metric)
{
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++) {
        const struct mpdata_diff_side *const s = &d->sides[side];

        for (uint32_t ref = row->first[side]; ref != 0; ref = s->next[ref - 1])
            if (is_unseen(metric, &s->view.contexts[ref - 1],
                          mpdata_metrics_value(&s->view, ref - 1, metric)))
                return true;
    }
    return false;
}
