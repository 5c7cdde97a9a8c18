/* counters.c -- PGO counters in memory, and their sum.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/counters.h"
#include "profdata/base/diag.h"
#include "profdata/base/hash.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_function(const void *key)
{
    const struct mpdata_counter_function *f = key;

    return mpdata_hash_bytes(f->name, f->name_size);
}

static bool equal_function(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_counter_function *a =
        (const struct mpdata_counter_function *)rows + row;
    const struct mpdata_counter_function *b = key;

    return a->name_size == b->name_size &&
           memcmp(a->name, b->name, a->name_size) == 0;
}

static const struct mpdata_set_kind function_kind = {
    hash_function, equal_function, sizeof(struct mpdata_counter_function)};

void mpdata_counters_init(struct mpdata_counters *counters)
{
    *counters = (struct mpdata_counters){
        .binary_ids = {.elem_bytes = sizeof(struct mpdata_bytes)}};
    mpdata_set_init(&counters->functions, &function_kind);
}

void mpdata_counters_fini(struct mpdata_counters *counters)
{
    struct mpdata_counter_function *functions = counters->functions.rows.data;

    for (uint32_t i = 0; i < counters->functions.rows.count; i++)
        mpdata_vec_fini(&functions[i].records);
    mpdata_set_fini(&counters->functions);
    mpdata_vec_fini(&counters->binary_ids);
    mpdata_arena_fini(&counters->arena);
}

/* -- do they fit? ---------------------------------------------------------- */

/* How the compiler computes the shape hashes of front-end counters; versions of
 * one number have the same. */
static int hash_generation(const struct mpdata_counters *c)
{
    if ((c->variant & MPROF_INDEX_VARIANT_IR) != 0)
        return 0;
    return c->version >= MPROF_INDEX_VERSION_FRONTEND_HASH_V4 ? 2 : 1;
}

static enum mprof_err fit_kinds(const struct mpdata_counters *into,
                                const struct mpdata_counters *from,
                                struct mprof_diag *diag)
{
    const uint64_t differ = into->variant ^ from->variant;
    const uint64_t any = into->variant | from->variant;
    const char *what = NULL;

    if ((differ & MPROF_INDEX_VARIANT_IR) != 0)
        what = "counters of -fprofile-generate and of "
               "-fprofile-instr-generate";
    else if (hash_generation(into) != hash_generation(from))
        what = "front-end counters of LLVM before 21 and since";
    else if ((any & MPROF_INDEX_VARIANT_FUNCTION_ENTRY_ONLY) != 0 &&
             (differ & MPROF_INDEX_VARIANT_FUNCTION_ENTRY_ONLY) != 0)
        what = "counters of function entries only and of all blocks";
    else if ((differ & MPROF_INDEX_VARIANT_BYTE_COVERAGE) != 0)
        what = "coverage of one byte and counters";
    else if (into->temporal.size != 0 || from->temporal.size != 0)
        what = "several profiles of which one has temporal traces";
    else if (into->vtables.size != 0 && from->vtables.size != 0 &&
             (into->vtables.size != from->vtables.size ||
              memcmp(into->vtables.data, from->vtables.data,
                     from->vtables.size) != 0))
        what = "profiles with different names of vtables";
    if (what == NULL)
        return MPROF_E_OK;
    return mpdata_diag_fail(diag, MPROF_E_MIXED, NULL, MPROF_DIAG_NO_OFFSET,
                            "%s", what);
}

static const struct mpdata_counter_function *
find_function(const struct mpdata_counters *counters,
              const struct mpdata_counter_function *key)
{
    const struct mpdata_counter_function *functions =
        counters->functions.rows.data;
    const uint32_t row =
        mpdata_map_find(&counters->functions.map, hash_function(key),
                        equal_function, functions, key);

    return row != 0 ? &functions[row - 1] : NULL;
}

static struct mpdata_counter_record *
find_record(const struct mpdata_counter_function *function, uint64_t hash)
{
    struct mpdata_counter_record *records = function->records.data;

    for (uint32_t i = 0; i < function->records.count; i++) {
        if (records[i].hash == hash)
            return &records[i];
    }
    return NULL;
}

/* Sample profiles leave marks in place of the first counter. */
static bool is_pseudo(const struct mpdata_counter_record *r)
{
    return r->count_count != 0 && r->counts[0] > MPROF_INDEX_COUNT_MAX;
}

static bool matches(const struct mpdata_counter_record *a,
                    const struct mpdata_counter_record *b)
{
    if (a->count_count != b->count_count ||
        a->bitmap_count != b->bitmap_count || is_pseudo(a) != is_pseudo(b))
        return false;
    for (int kind = 0; kind < MPDATA_VALUE_KINDS; kind++) {
        if (a->site_counts[kind] != b->site_counts[kind])
            return false;
    }
    return true;
}

enum mprof_err mpdata_counters_match(const struct mpdata_counters *into,
                                     const struct mpdata_counters *from,
                                     struct mprof_diag *diag)
{
    const struct mpdata_counter_function *functions = from->functions.rows.data;
    enum mprof_err err;

    if (!into->is_present || !from->is_present)
        return MPROF_E_OK;
    err = fit_kinds(into, from, diag);
    if (err != MPROF_E_OK)
        return err;
    for (uint32_t i = 0; i < from->functions.rows.count; i++) {
        const struct mpdata_counter_function *old =
            find_function(into, &functions[i]);
        const struct mpdata_counter_record *records = functions[i].records.data;

        for (uint32_t j = 0; old != NULL && j < functions[i].records.count;
             j++) {
            const struct mpdata_counter_record *r =
                find_record(old, records[j].hash);

            if (r != NULL && !matches(r, &records[j]))
                return mpdata_diag_fail(
                    diag, MPROF_E_MIXED, NULL, MPROF_DIAG_NO_OFFSET,
                    "the counters of %.*s differ in number",
                    (int)mprof_min_u64(functions[i].name_size, 100),
                    functions[i].name);
        }
    }
    return MPROF_E_OK;
}

/* -- sum ------------------------------------------------------------------- */

static void *copy_bytes(struct mpdata_arena *arena, const void *data,
                        uint64_t size)
{
    void *copy = mpdata_arena_alloc(arena, size);

    if (copy != NULL && size != 0)
        memcpy(copy, data, size);
    return copy;
}

static bool copy_part(struct mpdata_arena *arena,
                      const struct mpdata_bytes *from, struct mpdata_bytes *to)
{
    uint8_t *data = copy_bytes(arena, from->data, from->size);

    *to = (struct mpdata_bytes){.data = data, .size = from->size};
    return data != NULL;
}

static uint64_t cap(uint64_t count)
{
    return mprof_min_u64(count, MPROF_INDEX_COUNT_MAX);
}

static int compare_values(const void *left, const void *right)
{
    const struct mpdata_value *a = left;
    const struct mpdata_value *b = right;

    return a->value < b->value ? -1 : a->value > b->value;
}

/* Adds the values of one site; those of both become sorted by value. */
static bool add_site(struct mpdata_arena *arena, struct mpdata_value_site *to,
                     const struct mpdata_value_site *from, uint64_t weight)
{
    const uint64_t room = (uint64_t)to->count + from->count;
    struct mpdata_value *all = mpdata_arena_alloc(arena, room * sizeof(*all));
    uint32_t n = 0;

    if (all == NULL)
        return false;
    if (to->count != 0)
        memcpy(all, to->values, to->count * sizeof(*all));
    for (uint32_t i = 0; i < from->count; i++) {
        all[to->count + i] = from->values[i];
        all[to->count + i].count =
            mprof_mul_sat_u64(from->values[i].count, weight);
    }
    if (room != 0)
        qsort(all, room, sizeof(*all), compare_values);
    for (uint64_t i = 0; i < room; i++) {
        if (n != 0 && all[n - 1].value == all[i].value)
            all[n - 1].count =
                mprof_add_sat_u64(all[n - 1].count, all[i].count);
        else
            all[n++] = all[i];
    }
    to->values = all;
    to->count = n;
    return true;
}

static bool add_record(struct mpdata_counters *c,
                       struct mpdata_counter_record *to,
                       const struct mpdata_counter_record *from,
                       uint64_t weight)
{
    /* The hotter mark is the larger number. */
    if (is_pseudo(to)) {
        to->counts[0] = mprof_max_u64(to->counts[0], from->counts[0]);
        return true;
    }
    for (uint64_t i = 0; i < to->count_count; i++)
        to->counts[i] = cap(mprof_add_sat_u64(
            to->counts[i], mprof_mul_sat_u64(from->counts[i], weight)));
    for (uint64_t i = 0; i < to->bitmap_count; i++)
        to->bitmap[i] |= from->bitmap[i];
    for (int kind = 0; kind < MPDATA_VALUE_KINDS; kind++) {
        for (uint32_t i = 0; i < to->site_counts[kind]; i++) {
            if (from->sites[kind][i].count != 0 &&
                !add_site(&c->arena, &to->sites[kind][i], &from->sites[kind][i],
                          weight))
                return false;
        }
    }
    return true;
}

/* A copy in c's arena, weighted. */
static bool copy_record(struct mpdata_counters *c,
                        struct mpdata_counter_record *to,
                        const struct mpdata_counter_record *from,
                        uint64_t weight)
{
    struct mpdata_arena *arena = &c->arena;

    *to = *from;
    to->counts = copy_bytes(arena, from->counts, from->count_count * 8);
    to->bitmap = copy_bytes(arena, from->bitmap, from->bitmap_count * 8);
    if (to->counts == NULL || to->bitmap == NULL)
        return false;
    for (uint64_t i = 0; i < to->count_count && !is_pseudo(from); i++)
        to->counts[i] = weight == 1
                            ? to->counts[i]
                            : cap(mprof_mul_sat_u64(to->counts[i], weight));
    for (int kind = 0; kind < MPDATA_VALUE_KINDS; kind++) {
        to->sites[kind] =
            copy_bytes(arena, from->sites[kind],
                       from->site_counts[kind] * sizeof(*to->sites[kind]));
        if (to->sites[kind] == NULL)
            return false;
        for (uint32_t i = 0; i < to->site_counts[kind]; i++) {
            struct mpdata_value_site *site = &to->sites[kind][i];

            site->values = copy_bytes(arena, site->values,
                                      site->count * sizeof(*site->values));
            if (site->values == NULL)
                return false;
            for (uint32_t v = 0; v < site->count; v++)
                site->values[v].count =
                    mprof_mul_sat_u64(site->values[v].count, weight);
        }
    }
    return true;
}

static bool add_function(struct mpdata_counters *into,
                         const struct mpdata_counter_function *from,
                         uint64_t weight)
{
    const struct mpdata_counter_record *records = from->records.data;
    struct mpdata_counter_function *to;
    struct mpdata_counter_function key = *from;
    uint32_t row;
    bool is_new;

    key.records = (struct mpdata_vec){.elem_bytes = sizeof(*records)};
    row = mpdata_set_add(&into->functions, &key, &is_new);
    if (row == 0)
        return false;
    to = (struct mpdata_counter_function *)into->functions.rows.data + row - 1;
    if (is_new) {
        to->name = copy_bytes(&into->arena, from->name, from->name_size);
        if (to->name == NULL) {
            to->name = "";
            to->name_size = 0;
            return false;
        }
    }
    for (uint32_t i = 0; i < from->records.count; i++) {
        struct mpdata_counter_record *old = find_record(to, records[i].hash);

        if (old != NULL) {
            if (!add_record(into, old, &records[i], weight))
                return false;
            continue;
        }
        old = mpdata_vec_push(&to->records);
        if (old == NULL || !copy_record(into, old, &records[i], weight))
            return false;
    }
    return true;
}

static bool add_binary_ids(struct mpdata_counters *into,
                           const struct mpdata_counters *from)
{
    const struct mpdata_bytes *ids = from->binary_ids.data;

    for (uint32_t i = 0; i < from->binary_ids.count; i++) {
        struct mpdata_bytes *id = mpdata_vec_push(&into->binary_ids);

        if (id == NULL || !copy_part(&into->arena, &ids[i], id))
            return false;
    }
    return true;
}

enum mprof_err mpdata_counters_merge(struct mpdata_counters *into,
                                     const struct mpdata_counters *from,
                                     uint64_t weight)
{
    const struct mpdata_counter_function *functions = from->functions.rows.data;

    if (!from->is_present)
        return MPROF_E_OK;
    into->is_merged = into->is_present || weight != 1 || from->is_merged;
    if (!into->is_present &&
        (!copy_part(&into->arena, &from->summary, &into->summary) ||
         !copy_part(&into->arena, &from->temporal, &into->temporal)))
        return MPROF_E_NOMEM;
    if (into->vtables.size == 0 &&
        !copy_part(&into->arena, &from->vtables, &into->vtables))
        return MPROF_E_NOMEM;
    into->is_present = true;
    into->version = mprof_max_u64(into->version, from->version);
    into->variant |= from->variant;
    for (uint32_t i = 0; i < from->functions.rows.count; i++) {
        if (!add_function(into, &functions[i], weight))
            return MPROF_E_NOMEM;
    }
    return add_binary_ids(into, from) ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- canonical order ------------------------------------------------------- */

static int compare_functions(const void *left, const void *right)
{
    const struct mpdata_counter_function *a = left;
    const struct mpdata_counter_function *b = right;
    const uint64_t n = mprof_min_u64(a->name_size, b->name_size);
    const int order = n != 0 ? memcmp(a->name, b->name, n) : 0;

    if (order != 0)
        return order;
    return a->name_size < b->name_size ? -1 : a->name_size > b->name_size;
}

static int compare_records(const void *left, const void *right)
{
    const struct mpdata_counter_record *a = left;
    const struct mpdata_counter_record *b = right;

    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

/* As LLVM: the largest count first, then by value. */
static int compare_counts(const void *left, const void *right)
{
    const struct mpdata_value *a = left;
    const struct mpdata_value *b = right;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return compare_values(left, right);
}

static void sort_sites(struct mpdata_counter_record *r)
{
    for (int kind = 0; kind < MPDATA_VALUE_KINDS; kind++) {
        for (uint32_t i = 0; i < r->site_counts[kind]; i++) {
            struct mpdata_value_site *site = &r->sites[kind][i];

            if (site->count > 1)
                qsort(site->values, site->count, sizeof(*site->values),
                      compare_counts);
            if (site->count > MPROF_INDEX_SITE_VALUES_MAX)
                site->count = MPROF_INDEX_SITE_VALUES_MAX;
        }
    }
}

void mpdata_counters_canonical(struct mpdata_counters *counters)
{
    struct mpdata_counter_function *functions = counters->functions.rows.data;
    const uint32_t count = counters->functions.rows.count;

    if (!counters->is_merged)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct mpdata_counter_record *records = functions[i].records.data;

        for (uint32_t j = 0; j < functions[i].records.count; j++)
            sort_sites(&records[j]);
        if (functions[i].records.count > 1)
            qsort(records, functions[i].records.count, sizeof(*records),
                  compare_records);
    }
    /* The map of names is not used any more. */
    if (count > 1)
        qsort(functions, count, sizeof(*functions), compare_functions);
}
