/* llvm_order.c -- records in the order of the one text that they come from:
 * each row of the records gets the place of its row in the text, and is sorted
 * by it inside its group.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/llvm_order.h"

#include <stdlib.h>
#include <string.h>

/* A row of the text, in terms of the records. */
struct place {
    uint32_t kind;
    uint32_t function;
    uint32_t id; /* of an alloc site the context, else the node */
    uint64_t callee;
    uint32_t place;
};

/* A row of the records. */
struct placed {
    uint32_t group;
    uint32_t subgroup;
    uint32_t place;
    uint32_t row;
};

/* By what it is. */
static int compare_keys(const struct place *a, const struct place *b)
{
    if (a->kind != b->kind)
        return mprof_compare_u64(a->kind, b->kind);
    if (a->function != b->function)
        return mprof_compare_u64(a->function, b->function);
    return a->id != b->id ? mprof_compare_u64(a->id, b->id)
                          : mprof_compare_u64(a->callee, b->callee);
}

static int compare_places(const void *left, const void *right)
{
    const struct place *const a = (const struct place *)left;
    const struct place *const b = (const struct place *)right;
    const int order = compare_keys(a, b);

    return order != 0 ? order : mprof_compare_u64(a->place, b->place);
}

static int compare_placed(const void *left, const void *right)
{
    const struct placed *const a = (const struct placed *)left;
    const struct placed *const b = (const struct placed *)right;

    if (a->group != b->group)
        return mprof_compare_u64(a->group, b->group);
    if (a->subgroup != b->subgroup)
        return mprof_compare_u64(a->subgroup, b->subgroup);
    return a->place != b->place ? mprof_compare_u64(a->place, b->place)
                                : mprof_compare_u64(a->row, b->row);
}

/* -- the places of the text ---------------------------------------------------- */

/* The number of a function, or how many there are. */
static uint32_t find_function(const struct mpdata_llvm_records *r,
                              uint64_t guid)
{
    const uint64_t *const guids = (const uint64_t *)r->functions.rows.data;
    const uint32_t count = r->functions.rows.count;
    const size_t at = mpdata_vec_first(guids, count, sizeof(*guids), 0, guid);

    return at < count && guids[at] == guid ? (uint32_t)at : count;
}

/* contexts_of[node]: the context with that call stack + 1. */
static uint32_t find_places(const struct mpdata_llvm_records *r,
                            const struct mpdata_llvm_sites *order,
                            const uint32_t *stacks, const uint32_t *contexts_of,
                            struct place *places)
{
    const struct mpdata_llvm_listed *const rows = order->sites.rows.data;
    uint32_t n = 0;

    for (uint32_t i = 0; i < order->sites.rows.count; i++) {
        const uint32_t node =
            rows[i].stack != 0 ? stacks[rows[i].stack - 1] : 0;
        const bool is_alloc = rows[i].kind == MPDATA_LLVM_SITE_ALLOC;
        const uint32_t function = find_function(r, rows[i].guid);

        if (node == 0 || function == r->functions.rows.count ||
            (is_alloc && contexts_of[node - 1] == 0))
            continue;
        places[n++] =
            (struct place){.kind = rows[i].kind,
                           .function = function,
                           .id = (is_alloc ? contexts_of[node - 1] : node) - 1,
                           .callee = rows[i].callee,
                           .place = i};
    }
    if (n > 1)
        qsort(places, n, sizeof(*places), compare_places);
    return n;
}

/* The first place of what key is, or a number too large. */
static uint32_t find_place(const struct place *places, uint32_t count,
                           const struct place *key)
{
    uint32_t low = 0;
    uint32_t high = count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (compare_keys(&places[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && compare_keys(&places[low], key) == 0
               ? places[low].place
               : UINT32_MAX;
}

/* -- sorting by them ----------------------------------------------------------- */

/* Rows of a vector in the order of sorted[].row. */
static bool permute(struct mpdata_vec *rows, struct placed *sorted)
{
    const size_t bytes = rows->elem_bytes;
    const uint8_t *const old = (const uint8_t *)rows->data;
    uint8_t *const copy = mpdata_vec_array(rows->count, bytes);

    if (copy == NULL)
        return false;
    if (rows->count > 1)
        qsort(sorted, rows->count, sizeof(*sorted), compare_placed);
    for (uint32_t i = 0; i < rows->count; i++)
        memcpy(copy + i * bytes, old + sorted[i].row * bytes, bytes);
    if (rows->count != 0)
        memcpy(rows->data, copy, rows->count * bytes);
    free(copy);
    return true;
}

struct ordering {
    struct mpdata_llvm_records *r;
    const struct place *places;
    uint32_t place_count;
    uint32_t *firsts;      /* of each function: its first place */
    struct placed *sorted; /* room for the rows of any vector */
};

static bool order_sites(struct ordering *o, uint32_t kind,
                        struct mpdata_vec *sites)
{
    const struct mpdata_llvm_site *const rows = sites->data;

    for (uint32_t i = 0; i < sites->count; i++) {
        const struct place key = {
            .kind = kind, .function = rows[i].function, .id = rows[i].id};
        const uint32_t place = find_place(o->places, o->place_count, &key);

        o->sorted[i] = (struct placed){
            .group = rows[i].function, .place = place, .row = i};
        if (place < o->firsts[rows[i].function])
            o->firsts[rows[i].function] = place;
    }
    return permute(sites, o->sorted);
}

/* Callees stay by function and node, by which they are looked up. */
static bool order_callees(struct ordering *o)
{
    const struct mpdata_llvm_callee *const rows = o->r->callees.data;

    for (uint32_t i = 0; i < o->r->callees.count; i++) {
        const struct place key = {.kind = MPDATA_LLVM_SITE_CALLEE,
                                  .function = rows[i].function,
                                  .id = rows[i].node,
                                  .callee = rows[i].callee};

        o->sorted[i] = (struct placed){
            .group = rows[i].function,
            .subgroup = rows[i].node,
            .place = find_place(o->places, o->place_count, &key),
            .row = i};
    }
    return permute(&o->r->callees, o->sorted);
}

static bool order_records(struct ordering *o)
{
    const struct mpdata_llvm_record *const rows = o->r->records.data;

    for (uint32_t i = 0; i < o->r->records.count; i++)
        o->sorted[i] = (struct placed){
            .place = o->firsts[find_function(o->r, rows[i].guid)], .row = i};
    return permute(&o->r->records, o->sorted);
}

static uint32_t most_rows(const struct mpdata_llvm_records *r)
{
    const uint32_t counts[] = {r->alloc_sites.count, r->call_sites.count,
                               r->callees.count, r->records.count};
    uint32_t most = 0;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(counts); i++)
        most = counts[i] > most ? counts[i] : most;
    return most;
}

bool mpdata_llvm_order_apply(struct mpdata_llvm_records *r,
                             const struct mpdata_llvm_sites *order,
                             const uint32_t *stacks)
{
    const struct mpdata_llvm_context *const contexts = r->contexts.data;
    const uint32_t functions = r->functions.rows.count;
    struct place *const places =
        mpdata_vec_array(order->sites.rows.count, sizeof(*places));
    uint32_t *const contexts_of =
        mpdata_vec_array(r->nodes.rows.count, sizeof(*contexts_of));
    struct ordering o = {
        .r = r,
        .places = places,
        .firsts = mpdata_vec_array(functions, sizeof(uint32_t)),
        .sorted = mpdata_vec_array(most_rows(r), sizeof(*o.sorted))};
    bool is_done = places != NULL && contexts_of != NULL && o.firsts != NULL &&
                   o.sorted != NULL;

    if (is_done) {
        for (uint32_t i = 0; i < r->contexts.count; i++)
            contexts_of[contexts[i].node] = i + 1;
        for (uint32_t i = 0; i < functions; i++)
            o.firsts[i] = UINT32_MAX;
        o.place_count = find_places(r, order, stacks, contexts_of, places);
        is_done = order_sites(&o, MPDATA_LLVM_SITE_ALLOC, &r->alloc_sites) &&
                  order_sites(&o, MPDATA_LLVM_SITE_CALL, &r->call_sites) &&
                  order_callees(&o) && order_records(&o);
    }
    free(o.sorted);
    free(o.firsts);
    free(contexts_of);
    free(places);
    return is_done;
}
