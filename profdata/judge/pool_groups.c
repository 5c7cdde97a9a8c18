/* pool_groups.c -- which call stacks' small blocks are used together.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/pool_groups.h"
#include "profdata/base/vec.h"
#include "profdata/query/run_totals.h"
#include "shared/pool_sizes.h"

#include <stdlib.h>
#include <string.h>

/* docs/explain.md has these values. */

/* Links of fewer sampled blocks may be chance. */
#define LINKS_MIN (UINT64_C(4) * MPROF_DETAIL_LINK_WEIGHT)
/* Two call stacks join if the link between them is at least this share of the
 * largest link of either one. */
#define JOIN_SHARE 0.25
/* ... and if their accesses per byte and their lifetimes differ at most so many
 * times: rarely used blocks would push the others apart, and a block that
 * outlives its neighbours keeps their page. */
#define JOIN_HEAT 8.0
#define JOIN_LIFE 4.0
/* Bounds of a pool. */
#define ACCESS_SHARE_MIN 0.01
#define BYTES_MIN (32.0 * 1024)
#define SMALL_SHARE_MAX 0.95
/* A call stack makes few blocks if a run has at most so many. */
#define FEW_BLOCKS_MAX 64.0
/* Bounds of the group of such call stacks: fewer blocks have their pages in a
 * processor's first level of translations anyway, as all do if there are few
 * small blocks; more would not fit into a first cache or one span. */
#define FEW_ALL_MIN 64.0
#define FEW_BYTES_MAX (64.0 * 1024)
#define FEW_AMONG_MIN (256.0 * 1024)
/* Innermost frames that tell call stacks apart. */
#define FRAMES_MAX 32

const struct mpdata_pool_group_reason_row
    mpdata_pool_group_reasons[MPDATA_POOL_GROUP_REASON_COUNT] = {
#define X(id, name, sentence) {name, sentence},
        MPDATA_POOL_GROUP_REASONS(X)
#undef X
};

/* Call stacks that differ only in recursion. */
struct unit {
    uint64_t blocks;
    double used; /* accesses beyond filling */
    double bytes;
    double resident_bytes;
    double life_bytes; /* life_share, weighted by bytes */
    double best;       /* largest weight of a link */
    double weight;     /* of a root: sum over links inside the group */
    uint32_t parent;   /* towards the group's root */
    uint32_t group;    /* of a root: index + 1, or 0 */
};

struct link {
    uint32_t a; /* units, a <= b */
    uint32_t b;
    double weight;
};

struct edge {
    uint32_t from; /* units */
    uint32_t to;
    uint64_t count;
};

struct key {
    uint64_t hash;
    uint32_t context;
};

struct work {
    struct mpdata_pool_groups *out;
    struct mpdata_view view;
    struct mpdata_verdicts *verdicts;
    struct key *keys;
    uint32_t *unit_of;    /* by context: index + 1, or 0 */
    uint32_t *context_at; /* by node: index + 1, or 0 */
    struct unit *units;
    uint32_t unit_count;
    struct edge *edges;
    struct link *links;
    uint32_t link_count;
    double small_bytes; /* resident bytes of all units */
    double *few_bytes;  /* by frame that allocates: few blocks' less others' */
    uint8_t *pools_at;  /* likewise: pool + 1, or POOLS_SEVERAL */
    double runs;
};

/* -- units ------------------------------------------------------------------ */

/* Could the blocks of this call stack come from a pool? */
static bool is_fit(const struct mpdata_verdict *v)
{
    return v->has_accesses && v->has_lifetime && v->blocks != 0 &&
           (double)v->bytes <=
               (double)MPROF_POOL_BYTES_MAX * (double)v->blocks &&
           (v->kind == MPDATA_VERDICT_HOT ||
            v->reason == MPDATA_REASON_AVERAGE ||
            v->reason == MPDATA_REASON_FEW_ACCESSES ||
            v->reason == MPDATA_REASON_RISK);
}

/* Hashes the frames of a call stack, leaf first, without those of a function
 * that was there before. */
static uint64_t hash_stack(const struct mpdata_view *view, mpdata_ref node)
{
    mpdata_ref seen[FRAMES_MAX];
    uint32_t count = 0;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; node != 0 && count < FRAMES_MAX;
         node = view->nodes[node - 1].parent) {
        const uint32_t frame = view->nodes[node - 1].frame;
        const mpdata_ref function = view->frames[frame].function;
        uint32_t i = 0;

        while (i < count && (function == 0 || seen[i] != function))
            i++;
        if (i < count)
            continue;
        seen[count++] = function;
        hash = (hash ^ frame) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

MPROF_COMPARATOR(compare_keys, struct key, MPROF_UP(hash) ?: MPROF_UP(context))

static void add_context(struct unit *u, const struct mpdata_verdict *v)
{
    u->blocks = mprof_add_sat_u64(u->blocks, v->blocks);
    u->used += (double)mprof_sub_sat_u64(v->accesses,
                                         v->bytes / MPDATA_VERDICT_FILL_BYTES);
    u->bytes += (double)v->bytes;
    u->resident_bytes += v->resident_bytes;
    u->life_bytes += v->life_share * (double)v->bytes;
}

static void make_units(struct work *w)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->view.context_count; i++) {
        const struct mpdata_verdict *const v = &w->verdicts->rows[i];

        w->context_at[w->view.contexts[i].node] = i + 1;
        if ((double)v->bytes <=
            (double)MPROF_POOL_BYTES_MAX * (double)v->blocks)
            w->small_bytes += v->resident_bytes;
        if (is_fit(v))
            w->keys[count++] =
                (struct key){hash_stack(&w->view, w->view.contexts[i].node), i};
    }
    qsort(w->keys, count, sizeof(*w->keys), compare_keys);
    for (uint32_t k = 0; k < count; k++) {
        if (k == 0 || w->keys[k].hash != w->keys[k - 1].hash) {
            w->units[w->unit_count].parent = w->unit_count;
            w->unit_count++;
        }
        w->unit_of[w->keys[k].context] = w->unit_count;
        add_context(&w->units[w->unit_count - 1],
                    &w->verdicts->rows[w->keys[k].context]);
    }
}

/* -- links ------------------------------------------------------------------ */

MPROF_COMPARATOR(compare_edges, struct edge, MPROF_UP(from) ?: MPROF_UP(to))

static uint32_t unit_at(const struct work *w, mpdata_ref node)
{
    const uint32_t context = node != 0 ? w->context_at[node] : 0;

    return context != 0 ? w->unit_of[context - 1] : 0;
}

/* A link counts for as many accesses as both ends have, as far as the blocks of
 * its start have one. */
static void add_link(struct work *w, const struct edge *edge)
{
    struct unit *const from = &w->units[edge->from];
    struct unit *const to = &w->units[edge->to];
    const double used = from->used < to->used ? from->used : to->used;
    const double share = edge->count < from->blocks
                             ? (double)edge->count / (double)from->blocks
                             : 1;
    const double weight = used * share;

    if (edge->count < LINKS_MIN || weight <= 0)
        return;
    w->links[w->link_count++] =
        (struct link){.a = edge->from < edge->to ? edge->from : edge->to,
                      .b = edge->from < edge->to ? edge->to : edge->from,
                      .weight = weight};
    from->best = from->best > weight ? from->best : weight;
    to->best = to->best > weight ? to->best : weight;
}

MPROF_COMPARATOR(compare_links, struct link,
                 MPROF_DOWN(weight) ?: MPROF_UP(a) ?: MPROF_UP(b))

static void make_links(struct work *w)
{
    uint32_t count = 0;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < w->view.detail_count; i++) {
        const struct mpdata_detail *const d = &w->view.details[i];

        if (d->kind != MPROF_DETAIL_LINK)
            continue;
        w->out->has_links = true;
        const uint32_t from = unit_at(w, d->node);
        const uint32_t to = unit_at(w, d->key);
        if (from != 0 && to != 0)
            w->edges[count++] = (struct edge){from - 1, to - 1, d->count};
    }
    qsort(w->edges, count, sizeof(*w->edges), compare_edges);
    for (uint32_t i = 0; i < count; i++) {
        if (kept != 0 && compare_edges(&w->edges[kept - 1], &w->edges[i]) == 0)
            w->edges[kept - 1].count =
                mprof_add_sat_u64(w->edges[kept - 1].count, w->edges[i].count);
        else
            w->edges[kept++] = w->edges[i];
    }
    for (uint32_t i = 0; i < kept; i++)
        add_link(w, &w->edges[i]);
    qsort(w->links, w->link_count, sizeof(*w->links), compare_links);
}

/* -- groups ----------------------------------------------------------------- */

static uint32_t root_of(struct unit *units, uint32_t unit)
{
    while (units[unit].parent != unit) {
        units[unit].parent = units[units[unit].parent].parent;
        unit = units[unit].parent;
    }
    return unit;
}

static bool is_near(double a, double b, double times)
{
    return a <= b * times && b <= a * times;
}

static bool may_join(const struct unit *a, const struct unit *b, double weight)
{
    const double best = a->best < b->best ? a->best : b->best;

    return weight >= JOIN_SHARE * best &&
           is_near(a->used / a->bytes, b->used / b->bytes, JOIN_HEAT) &&
           is_near(a->life_bytes / a->bytes, b->life_bytes / b->bytes,
                   JOIN_LIFE);
}

static void join(struct work *w)
{
    for (uint32_t i = 0; i < w->link_count; i++) {
        const struct link *const l = &w->links[i];

        if (may_join(&w->units[l->a], &w->units[l->b], l->weight))
            w->units[root_of(w->units, l->b)].parent = root_of(w->units, l->a);
    }
    for (uint32_t i = 0; i < w->link_count; i++) {
        const uint32_t root = root_of(w->units, w->links[i].a);

        if (root == root_of(w->units, w->links[i].b))
            w->units[root].weight += w->links[i].weight;
    }
}

MPROF_COMPARATOR(compare_groups, struct mpdata_pool_group,
                 MPROF_DOWN(weight) ?: MPROF_UP(first))

static int compare_contexts(const void *left, const void *right, void *context)
{
    const struct mpdata_verdicts *const verdicts = context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;

    return mprof_compare_u64_pair(verdicts->rows[b].bytes,
                                  verdicts->rows[a].bytes, a, b);
}

/* The group of a context, or NULL. */
static struct mpdata_pool_group *group_of(struct work *w, uint32_t context)
{
    const uint32_t unit = w->unit_of[context];
    const uint32_t group =
        unit != 0 ? w->units[root_of(w->units, unit - 1)].group : 0;

    return group != 0 ? &w->out->rows[group - 1] : NULL;
}

static void fill_groups(struct work *w)
{
    struct mpdata_pool_groups *const out = w->out;
    uint32_t first = 0;

    for (uint32_t i = 0; i < w->unit_count; i++) {
        if (w->units[i].parent == i && w->units[i].weight > 0) {
            out->rows[out->count++].weight = w->units[i].weight;
            w->units[i].group = out->count;
        }
    }
    for (uint32_t i = 0; i < w->view.context_count; i++) {
        struct mpdata_pool_group *const g = group_of(w, i);
        const struct mpdata_verdict *const v = &w->verdicts->rows[i];

        if (g == NULL)
            continue;
        g->count++;
        g->blocks = mprof_add_sat_u64(g->blocks, v->blocks);
        g->resident_bytes += v->resident_bytes;
        g->access_share += v->access_share;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        out->rows[i].first = first;
        first += out->rows[i].count;
        out->rows[i].count = 0;
    }
    for (uint32_t i = 0; i < w->view.context_count; i++) {
        struct mpdata_pool_group *const g = group_of(w, i);

        if (g != NULL)
            out->contexts[g->first + g->count++] = i;
    }
}

static enum mpdata_pool_group_reason
reason_of(const struct mpdata_pool_group *g)
{
    if (g->access_share < ACCESS_SHARE_MIN)
        return MPDATA_POOL_GROUP_FEW_ACCESSES;
    if (g->resident_bytes < BYTES_MIN)
        return MPDATA_POOL_GROUP_SMALL;
    return g->small_share > SMALL_SHARE_MAX ? MPDATA_POOL_GROUP_ALONE
                                            : MPDATA_POOL_GROUP_GAIN;
}

static void judge_groups(struct work *w)
{
    struct mpdata_pool_groups *const out = w->out;
    uint8_t pools = 0;

    if (out->count != 0)
        qsort(out->rows, out->count, sizeof(*out->rows), compare_groups);
    for (uint32_t i = 0; i < out->count; i++) {
        struct mpdata_pool_group *const g = &out->rows[i];

        if (w->small_bytes > 0)
            g->small_share = g->resident_bytes / w->small_bytes;
        g->reason = reason_of(g);
        if (g->reason == MPDATA_POOL_GROUP_GAIN && pools == MPDATA_POOLS_MAX)
            g->reason = MPDATA_POOL_GROUP_TOO_MANY;
        if (g->reason == MPDATA_POOL_GROUP_GAIN)
            g->pool = ++pools;
        qsort_r(out->contexts + g->first, g->count, sizeof(*out->contexts),
                compare_contexts, w->verdicts);
        for (uint32_t k = 0; k < g->count; k++)
            w->verdicts->rows[out->contexts[g->first + k]].pool = g->pool;
    }
}

/* -- few blocks ------------------------------------------------------------- */

/* Does the call stack make few blocks, which are accessed often? */
static bool is_few(struct work *w, uint32_t context)
{
    const struct mpdata_verdict *const v = &w->verdicts->rows[context];
    const uint32_t unit = w->unit_of[context];

    return unit != 0 && v->bytes != 0 && w->view.contexts[context].node != 0 &&
           group_of(w, context) == NULL &&
           (v->kind == MPDATA_VERDICT_HOT ||
            v->reason == MPDATA_REASON_FEW_ACCESSES) &&
           (double)w->units[unit - 1].blocks <= FEW_BLOCKS_MAX * w->runs;
}

static uint32_t leaf_of(const struct work *w, uint32_t context)
{
    return w->view.nodes[w->view.contexts[context].node - 1].frame;
}

static int compare_heat(const void *left, const void *right, void *context)
{
    const struct mpdata_verdict *const rows = context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;

    if (rows[a].heat != rows[b].heat)
        return rows[a].heat > rows[b].heat ? -1 : 1;
    return (a > b) - (a < b);
}

/* Appends the call stacks that make few blocks, the hottest first, to the
 * contexts. Their calls must make mostly such blocks, because the others of a
 * call get the same hint. */
static uint32_t find_few(struct work *w, uint32_t *few)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->view.context_count; i++) {
        const struct mpdata_verdict *const v = &w->verdicts->rows[i];

        if (w->view.contexts[i].node != 0)
            w->few_bytes[leaf_of(w, i)] +=
                is_few(w, i) ? (double)v->bytes : -(double)v->bytes;
    }
    for (uint32_t i = 0; i < w->view.context_count; i++) {
        if (is_few(w, i) && w->few_bytes[leaf_of(w, i)] > 0)
            few[count++] = i;
    }
    qsort_r(few, count, sizeof(*few), compare_heat, w->verdicts->rows);
    return count;
}

/* Makes a group of the hottest few blocks if it gains. */
static void add_few(struct work *w)
{
    struct mpdata_pool_groups *const out = w->out;
    struct mpdata_pool_group g = {.reason = MPDATA_POOL_GROUP_FEW_BLOCKS};
    double blocks = 0;

    for (uint32_t i = 0; i < out->count; i++) {
        g.first += out->rows[i].count;
        g.pool += out->rows[i].pool != 0;
    }
    const uint32_t count = find_few(w, out->contexts + g.first);
    for (; g.count < count; g.count++) {
        const struct mpdata_verdict *const v =
            &w->verdicts->rows[out->contexts[g.first + g.count]];

        if (g.resident_bytes + v->resident_bytes > FEW_BYTES_MAX)
            break;
        g.blocks = mprof_add_sat_u64(g.blocks, v->blocks);
        blocks += v->resident_bytes / (double)v->bytes * (double)v->blocks;
        g.resident_bytes += v->resident_bytes;
        g.access_share += v->access_share;
    }
    g.small_share = w->small_bytes > 0 ? g.resident_bytes / w->small_bytes : 0;
    if (blocks < FEW_ALL_MIN || w->small_bytes < FEW_AMONG_MIN ||
        g.access_share < ACCESS_SHARE_MIN || g.small_share > SMALL_SHARE_MAX ||
        g.pool == MPDATA_POOLS_MAX)
        return;
    g.pool++;
    for (uint32_t k = 0; k < g.count; k++)
        w->verdicts->rows[out->contexts[g.first + k]].pool = g.pool;
    out->rows[out->count++] = g;
}

/* -- shared calls ----------------------------------------------------------- */

#define POOLS_SEVERAL UINT8_MAX

static void note_pool(struct work *w, uint32_t context)
{
    const uint8_t pool = (uint8_t)(w->verdicts->rows[context].pool + 1);

    if (w->view.contexts[context].node == 0)
        return;
    uint8_t *const known = &w->pools_at[leaf_of(w, context)];
    *known = *known == 0 || *known == pool ? pool : POOLS_SEVERAL;
}

static void find_shared(struct work *w)
{
    const struct mpdata_pool_groups *const out = w->out;

    for (uint32_t i = 0; i < w->view.context_count; i++)
        note_pool(w, i);
    for (uint32_t i = 0; i < out->count; i++) {
        struct mpdata_pool_group *const g = &out->rows[i];

        for (uint32_t k = 0; g->pool != 0 && k < g->count; k++) {
            const uint32_t context = out->contexts[g->first + k];

            g->is_shared |= w->view.contexts[context].node != 0 &&
                            w->pools_at[leaf_of(w, context)] == POOLS_SEVERAL;
        }
    }
}

enum mprof_err mpdata_pool_groups_make(struct mpdata_pool_groups *groups,
                                       const struct mpdata_profile *profile,
                                       struct mpdata_verdicts *verdicts)
{
    struct work w = {.out = groups,
                     .view = mpdata_profile_view(profile),
                     .verdicts = verdicts};
    const uint32_t count = w.view.context_count;
    struct mpdata_run_totals runs;
    enum mprof_err err = mpdata_run_totals(&w.view, &runs);

    *groups = (struct mpdata_pool_groups){
        .rows = mpdata_vec_array((size_t)count + 1, sizeof(*groups->rows)),
        .contexts = mpdata_vec_array(count, sizeof(*groups->contexts))};
    w.keys = mpdata_vec_array(count, sizeof(*w.keys));
    w.unit_of = mpdata_vec_array(count, sizeof(*w.unit_of));
    w.units = mpdata_vec_array(count, sizeof(*w.units));
    w.context_at =
        mpdata_vec_array((size_t)w.view.node_count + 1, sizeof(*w.context_at));
    w.edges = mpdata_vec_array(w.view.detail_count, sizeof(*w.edges));
    w.links = mpdata_vec_array(w.view.detail_count, sizeof(*w.links));
    w.few_bytes = mpdata_vec_array(w.view.frame_count, sizeof(*w.few_bytes));
    w.pools_at = mpdata_vec_array(w.view.frame_count, sizeof(*w.pools_at));
    w.runs = (double)mprof_max_u64(runs.runs, 1);
    if (groups->rows == NULL || groups->contexts == NULL || w.keys == NULL ||
        w.unit_of == NULL || w.units == NULL || w.context_at == NULL ||
        w.edges == NULL || w.links == NULL || w.few_bytes == NULL ||
        w.pools_at == NULL)
        err = MPROF_E_NOMEM;
    if (err == MPROF_E_OK) {
        make_units(&w);
        make_links(&w);
        join(&w);
        fill_groups(&w);
        judge_groups(&w);
        add_few(&w);
        find_shared(&w);
    }
    free(w.keys);
    free(w.unit_of);
    free(w.units);
    free(w.context_at);
    free(w.edges);
    free(w.links);
    free(w.few_bytes);
    free(w.pools_at);
    return err;
}

void mpdata_pool_groups_fini(struct mpdata_pool_groups *groups)
{
    free(groups->rows);
    free(groups->contexts);
    *groups = (struct mpdata_pool_groups){.rows = NULL};
}
