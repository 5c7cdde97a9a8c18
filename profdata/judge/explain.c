/* explain.c -- verdicts summed by allocation site.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/explain.h"
#include "profdata/base/vec.h"
#include "profdata/query/frames.h"

#include <stdlib.h>

/* -- sums ------------------------------------------------------------------ */

/* Averages are kept as weighted sums until divide(). */
static void add(struct mpdata_verdict *sum, const struct mpdata_verdict *v,
                bool is_first)
{
    if (is_first) {
        sum->kind = v->kind;
        sum->reason = v->reason;
    }
    sum->has_accesses = (is_first || sum->has_accesses) && v->has_accesses;
    sum->has_lifetime |= v->has_lifetime;
    sum->blocks = mprof_add_sat_u64(sum->blocks, v->blocks);
    sum->bytes = mprof_add_sat_u64(sum->bytes, v->bytes);
    sum->accesses = mprof_add_sat_u64(sum->accesses, v->accesses);
    sum->saved_bytes = mprof_add_sat_u64(sum->saved_bytes, v->saved_bytes);
    sum->loose_bytes = mprof_add_sat_u64(sum->loose_bytes, v->loose_bytes);
    sum->resident_bytes += v->resident_bytes;
    sum->resident_share += v->resident_share;
    sum->access_share += v->access_share;
    sum->life_share += v->life_share * (double)v->blocks;
    if (v->has_lifetime)
        sum->lived_blocks = mprof_add_sat_u64(sum->lived_blocks, v->blocks);
    sum->heat += v->heat * v->resident_bytes;
}

static void divide(struct mpdata_verdict *sum)
{
    if (sum->lived_blocks != 0)
        sum->life_share /= (double)sum->lived_blocks;
    if (sum->bytes != 0)
        sum->accesses_per_byte = (double)sum->accesses / (double)sum->bytes;
    if (sum->resident_bytes > 0)
        sum->heat /= sum->resident_bytes;
}

static void add_totals(struct mpdata_explain *explain,
                       const struct mpdata_verdicts *verdicts)
{
    for (uint32_t i = 0; i < verdicts->count; i++) {
        const struct mpdata_verdict *const v = &verdicts->rows[i];
        struct mpdata_explain_total *const total = &explain->totals[v->kind];

        add(&total->sum, v, total->stacks == 0);
        total->stacks++;
    }
    for (int k = 0; k < MPDATA_VERDICT_KINDS; k++)
        divide(&explain->totals[k].sum);
}

/* -- order ----------------------------------------------------------------- */

static int compare_verdicts(const struct mpdata_verdict *a,
                            const struct mpdata_verdict *b)
{
    if (a->resident_bytes != b->resident_bytes)
        return a->resident_bytes > b->resident_bytes ? -1 : 1;
    return mprof_compare_u64(b->bytes, a->bytes);
}

struct order {
    const struct mpdata_verdicts *verdicts;
    const uint32_t *of_context; /* its group */
};

/* By group; within a group the largest context first. */
static int compare_contexts(const void *left, const void *right, void *context)
{
    const struct order *const order = context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    int result = mprof_compare_u64(order->of_context[a], order->of_context[b]);

    if (result == 0)
        result = compare_verdicts(&order->verdicts->rows[a],
                                  &order->verdicts->rows[b]);
    return result != 0 ? result : mprof_compare_u64(a, b);
}

MPROF_COMPARATOR(compare_sites, struct mpdata_explain_site,
                 compare_verdicts(&a->sum, &b->sum) ?: MPROF_UP(first))

/* -- sites ----------------------------------------------------------------- */

static bool goes_through(const struct mpdata_view *view, uint32_t context,
                         const bool *is_frame)
{
    mpdata_ref node = view->contexts[context].node;

    if (is_frame == NULL)
        return true;
    while (node != 0 && !is_frame[view->nodes[node - 1].frame])
        node = view->nodes[node - 1].parent;
    return node != 0;
}

static void make_sites(struct mpdata_explain *explain,
                       const struct order *order,
                       const struct mpdata_view *view, const mpdata_ref *nodes)
{
    struct mpdata_explain_site *site = NULL;

    for (uint32_t k = 0; k < explain->context_count; k++) {
        const uint32_t i = explain->contexts[k];
        const struct mpdata_verdict *const v = &order->verdicts->rows[i];

        if (k == 0 || order->of_context[i] !=
                          order->of_context[explain->contexts[k - 1]]) {
            site = &explain->rows[explain->count++];
            site->frame =
                nodes[i] != 0 ? view->nodes[nodes[i] - 1].frame + 1 : 0;
            site->first = k;
        }
        add(&site->sum, v, site->count == 0);
        site->is_mixed = site->is_mixed || v->kind != site->sum.kind;
        site->stacks[v->kind]++;
        site->count++;
    }
    for (uint32_t s = 0; s < explain->count; s++)
        divide(&explain->rows[s].sum);
    if (explain->count != 0)
        qsort(explain->rows, explain->count, sizeof(*explain->rows),
              compare_sites);
}

static void choose(struct mpdata_explain *explain,
                   const struct mpdata_view *view,
                   const struct mpdata_verdicts *verdicts,
                   const struct mpdata_explain_choice *choice)
{
    for (uint32_t i = 0; i < view->context_count; i++) {
        if (choice->kind != MPDATA_VERDICT_KINDS &&
            verdicts->rows[i].kind != choice->kind)
            continue;
        if (goes_through(view, i, choice->is_frame))
            explain->contexts[explain->context_count++] = i;
    }
}

enum mprof_err mpdata_explain_make(struct mpdata_explain *explain,
                                   const struct mpdata_profile *profile,
                                   const struct mpdata_verdicts *verdicts,
                                   struct mpdata_frame_names *names,
                                   const struct mpdata_explain_choice *choice)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const uint32_t count = view.context_count;
    struct mpdata_sites sites;
    const enum mprof_err err = mpdata_sites_make(&sites, profile, names);
    const struct order order = {.verdicts = verdicts,
                                .of_context = sites.groups};
    bool is_done;

    *explain = (struct mpdata_explain){
        .rows = calloc((size_t)count + 1, sizeof(*explain->rows)),
        .contexts = mpdata_vec_array(count, sizeof(uint32_t))};
    is_done =
        err == MPROF_E_OK && explain->rows != NULL && explain->contexts != NULL;
    if (is_done) {
        choose(explain, &view, verdicts, choice);
        qsort_r(explain->contexts, explain->context_count, sizeof(uint32_t),
                compare_contexts, (void *)(uintptr_t)&order);
        make_sites(explain, &order, &view, sites.nodes);
        add_totals(explain, verdicts);
    }
    mpdata_sites_fini(&sites);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_explain_fini(struct mpdata_explain *explain)
{
    free(explain->rows);
    free(explain->contexts);
    *explain = (struct mpdata_explain){.rows = NULL};
}
