/* json_counters.c -- PGO counters in JSON.
 *
 * What was read is held to what the reader of LLVM's indexed files holds them
 * to (counters_read.c).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/counters.h"
#include "profdata/text/json_counters.h"
#include "profdata/text/json_keys.h"

#include <string.h>

struct reading {
    struct mpdata_events *e;
    struct mpdata_counters *counters;
    struct mpdata_vec words; /* uint64_t, of the list at hand */
};

static void *keep(struct reading *r, const void *data, size_t size)
{
    void *copy = r->e->err == MPROF_E_OK
                     ? mpdata_arena_alloc(&r->counters->arena, size)
                     : NULL;

    if (copy == NULL)
        mpdata_events_fail_memory(r->e);
    else if (size != 0)
        memcpy(copy, data, size);
    return copy;
}

static struct mpdata_bytes keep_bytes(struct reading *r, struct mpdata_str s)
{
    return (struct mpdata_bytes){.data = keep(r, s.bytes, s.size),
                                 .size = s.size};
}

static struct mpdata_bytes read_bytes(struct reading *r)
{
    return keep_bytes(r, mpdata_events_bytes(r->e));
}

/* A list of numbers; how many in *count. */
static uint64_t *read_numbers(struct reading *r, uint64_t *count)
{
    r->words.count = 0;
    if (mpdata_events_list(r->e)) {
        while (mpdata_events_item(r->e)) {
            uint64_t *word = mpdata_vec_push(&r->words);

            if (word != NULL)
                *word = mpdata_events_number(r->e, UINT64_MAX);
            else
                mpdata_events_fail_memory(r->e);
        }
    }
    *count = r->words.count;
    return keep(r, r->words.data, r->words.count * sizeof(uint64_t));
}

/* -- values ------------------------------------------------------------------ */

static void read_site(struct reading *r, struct mpdata_vec *sites)
{
    struct mpdata_value_site *site = mpdata_vec_push(sites);
    struct mpdata_value *values;
    uint64_t count;
    const uint64_t *words = read_numbers(r, &count);

    if (site == NULL)
        mpdata_events_fail_memory(r->e);
    if (count % 2 != 0 || count / 2 > MPROF_INDEX_SITE_VALUES_MAX)
        mpdata_events_fail(r->e, MPROF_E_VALUE,
                           "not up to %d pairs of value and count",
                           MPROF_INDEX_SITE_VALUES_MAX);
    if (r->e->err != MPROF_E_OK)
        return;
    values =
        mpdata_arena_alloc(&r->counters->arena, count / 2 * sizeof(*values));
    if (values == NULL) {
        mpdata_events_fail_memory(r->e);
        return;
    }
    for (uint64_t i = 0; i < count / 2; i++)
        values[i] = (struct mpdata_value){.value = words[2 * i],
                                          .count = words[2 * i + 1]};
    *site = (struct mpdata_value_site){.values = values,
                                       .count = (uint32_t)(count / 2)};
}

static void read_values(struct reading *r, struct mpdata_counter_record *record)
{
    struct mpdata_vec sites = {.elem_bytes = sizeof(struct mpdata_value_site)};
    int kind = 0;

    if (!mpdata_events_list(r->e))
        return;
    for (; mpdata_events_item(r->e); kind++) {
        if (kind == MPDATA_VALUE_KINDS) {
            mpdata_events_fail(r->e, MPROF_E_VALUE, "too many kinds of values");
            break;
        }
        sites.count = 0;
        if (mpdata_events_list(r->e)) {
            while (mpdata_events_item(r->e))
                read_site(r, &sites);
        }
        record->site_counts[kind] = sites.count;
        record->sites[kind] =
            keep(r, sites.data, sites.count * sizeof(struct mpdata_value_site));
    }
    mpdata_vec_fini(&sites);
}

/* -- functions --------------------------------------------------------------- */

static void read_record(struct reading *r, struct mpdata_vec *records)
{
    enum { MPDATA_JSON_COUNTER_RECORD(MPDATA_JSON_ID) };
    static const char *const names[] = {
        MPDATA_JSON_COUNTER_RECORD(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_counter_record record = {.hash = 0};
    struct mpdata_counter_record *row;
    size_t key;

    if (mpdata_events_map(r->e)) {
        while (mpdata_events_key(r->e, &keys, &key)) {
            if (key == HASH)
                record.hash = mpdata_events_number(r->e, UINT64_MAX);
            else if (key == COUNTS)
                record.counts = read_numbers(r, &record.count_count);
            else if (key == BITMAP)
                record.bitmap = read_numbers(r, &record.bitmap_count);
            else
                read_values(r, &record);
        }
    }
    row = r->e->err == MPROF_E_OK ? mpdata_vec_push(records) : NULL;
    if (row != NULL)
        *row = record;
    else
        mpdata_events_fail_memory(r->e);
}

static void read_function(struct reading *r)
{
    enum { MPDATA_JSON_COUNTER_FUNCTION(MPDATA_JSON_ID) };
    static const char *const names[] = {
        MPDATA_JSON_COUNTER_FUNCTION(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_counter_function f = {
        .name = "",
        .records = {.elem_bytes = sizeof(struct mpdata_counter_record)}};
    struct mpdata_bytes name;
    bool is_new = false;
    uint32_t row = 0;
    size_t key;

    if (mpdata_events_map(r->e)) {
        while (mpdata_events_key(r->e, &keys, &key)) {
            if (key == NAME) {
                name = keep_bytes(r, mpdata_events_string(r->e));
                f.name = (const char *)name.data;
                f.name_size = name.size;
            } else if (key == KEY) {
                f.key = mpdata_events_number(r->e, UINT64_MAX);
            } else if (mpdata_events_list(r->e)) {
                while (mpdata_events_item(r->e))
                    read_record(r, &f.records);
            }
        }
    }
    if (r->e->err == MPROF_E_OK) {
        row = mpdata_set_add(&r->counters->functions, &f, &is_new);
        if (row == 0)
            mpdata_events_fail_memory(r->e);
        else if (!is_new)
            mpdata_events_fail(r->e, MPROF_E_DUPLICATE, "a function");
    }
    if (row == 0 || !is_new)
        mpdata_vec_fini(&f.records);
}

static void read_binary_id(struct reading *r)
{
    const struct mpdata_bytes bytes = read_bytes(r);
    struct mpdata_bytes *row = mpdata_vec_push(&r->counters->binary_ids);

    if (row != NULL)
        *row = bytes;
    else
        mpdata_events_fail_memory(r->e);
}

static void read_value(struct reading *r, size_t key)
{
    enum { MPDATA_JSON_COUNTERS(MPDATA_JSON_ID) };
    struct mpdata_counters *c = r->counters;

    if (key == VERSION) {
        c->version = mpdata_events_number(r->e, MPROF_INDEX_VERSION_MAX);
    } else if (key == VARIANT) {
        c->variant = mpdata_events_number(r->e, UINT64_MAX) &
                     MPROF_INDEX_VARIANT_MASK & ~MPROF_INDEX_VARIANT_MEMPROF;
    } else if (key == SUMMARY) {
        c->summary = read_bytes(r);
    } else if (key == VTABLES) {
        c->vtables = read_bytes(r);
    } else if (key == TEMPORAL) {
        c->temporal = read_bytes(r);
    } else if (mpdata_events_list(r->e)) {
        while (mpdata_events_item(r->e)) {
            if (key == BINARY_IDS)
                read_binary_id(r);
            else
                read_function(r);
        }
    }
}

void mpdata_json_counters_read(struct mpdata_events *e,
                               struct mpdata_counters *counters)
{
    static const char *const names[] = {MPDATA_JSON_COUNTERS(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_counters read;
    struct reading r = {
        .e = e, .counters = &read, .words = {.elem_bytes = sizeof(uint64_t)}};
    size_t key;

    mpdata_counters_init(&read);
    read.is_present = true;
    if (mpdata_events_map(e)) {
        while (mpdata_events_key(e, &keys, &key))
            read_value(&r, key);
    }
    if (e->err == MPROF_E_OK) {
        const enum mprof_err err = mpdata_counters_read_check(&read);

        if (err != MPROF_E_OK)
            mpdata_events_fail(e, err, "the counters");
    }
    mpdata_vec_fini(&r.words);
    mpdata_counters_fini(counters);
    *counters = read;
}
