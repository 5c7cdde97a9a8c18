/* data_access.c -- data access profiles in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/data_access.h"
#include "profdata/base/hash.h"
#include "profdata/base/str.h"

#include <stdlib.h>
#include <string.h>

#define UNIQ_SUFFIX ".__uniq."

static uint64_t hash_data(const void *key)
{
    const struct mpdata_data_id *d = key;
    const uint64_t words[] = {d->id, d->is_literal};

    return mpdata_hash_bytes(words, sizeof(words));
}

static bool is_same_data(const struct mpdata_data_id *a,
                         const struct mpdata_data_id *b)
{
    return a->id == b->id && a->is_literal == b->is_literal;
}

static bool equal_data(const void *rows, uint32_t row, const void *key)
{
    return is_same_data((const struct mpdata_data_id *)rows + row, key);
}

static uint64_t hash_record(const void *key)
{
    return hash_data(&((const struct mpdata_data_record *)key)->data);
}

static bool equal_record(const void *rows, uint32_t row, const void *key)
{
    return is_same_data(&((const struct mpdata_data_record *)rows)[row].data,
                        &((const struct mpdata_data_record *)key)->data);
}

static uint64_t hash_location(const void *key)
{
    return mpdata_hash_bytes(key, sizeof(struct mpdata_data_location));
}

static bool equal_location(const void *rows, uint32_t row, const void *key)
{
    return memcmp((const struct mpdata_data_location *)rows + row, key,
                  sizeof(struct mpdata_data_location)) == 0;
}

static const struct mpdata_set_kind string_kind = {
    mpdata_str_hash, mpdata_str_equal, sizeof(struct mpdata_str)};
static const struct mpdata_set_kind record_kind = {
    hash_record, equal_record, sizeof(struct mpdata_data_record)};
static const struct mpdata_set_kind location_kind = {
    hash_location, equal_location, sizeof(struct mpdata_data_location)};
static const struct mpdata_set_kind cold_kind = {hash_data, equal_data,
                                                 sizeof(struct mpdata_data_id)};

void mpdata_data_access_init(struct mpdata_data_access *access)
{
    *access = (struct mpdata_data_access){.arena = {.blocks = NULL}};
    mpdata_set_init(&access->strings, &string_kind);
    mpdata_set_init(&access->records, &record_kind);
    mpdata_set_init(&access->locations, &location_kind);
    mpdata_set_init(&access->cold, &cold_kind);
}

void mpdata_data_access_fini(struct mpdata_data_access *access)
{
    mpdata_set_fini(&access->strings);
    mpdata_set_fini(&access->records);
    mpdata_set_fini(&access->locations);
    mpdata_set_fini(&access->cold);
    mpdata_arena_fini(&access->arena);
}

bool mpdata_data_access_is_empty(const struct mpdata_data_access *access)
{
    return access->records.rows.count == 0 && access->cold.rows.count == 0;
}

bool mpdata_data_access_string(struct mpdata_data_access *access,
                               const void *bytes, size_t size, uint32_t *row)
{
    struct mpdata_str key = {.bytes = bytes, .size = size};
    bool is_new = false;
    const uint32_t ref = mpdata_set_add(&access->strings, &key, &is_new);
    char *copy;

    if (ref == 0)
        return false;
    *row = ref - 1;
    if (!is_new)
        return true;
    copy = mpdata_arena_alloc(&access->arena, size + 1);
    /* Without memory the row is the empty string under a wrong hash; the
     * profile is given up. */
    ((struct mpdata_str *)access->strings.rows.data)[*row] =
        (struct mpdata_str){.bytes = copy != NULL ? copy : "",
                            .size = copy != NULL ? size : 0};
    if (copy == NULL)
        return false;
    if (size != 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return true;
}

bool mpdata_data_access_symbol(struct mpdata_data_access *access,
                               const void *bytes, size_t size, uint32_t *row)
{
    const char *name = bytes;
    const size_t suffix = sizeof(UNIQ_SUFFIX) - 1;
    const char *uniq =
        size >= suffix ? memmem(name, size, UNIQ_SUFFIX, suffix) : NULL;
    const size_t start = uniq != NULL ? (size_t)(uniq - name) + suffix : 0;
    const char *dot =
        start < size ? memchr(name + start, '.', size - start) : NULL;

    if (dot != NULL && dot != name)
        size = (size_t)(dot - name);
    return mpdata_data_access_string(access, name, size, row);
}

bool mpdata_data_access_record(struct mpdata_data_access *access,
                               struct mpdata_data_id data, uint64_t count,
                               uint32_t *row)
{
    const struct mpdata_data_record key = {.data = data, .count = count};
    bool is_new = false;
    const uint32_t ref = mpdata_set_add(&access->records, &key, &is_new);
    struct mpdata_data_record *record;

    if (ref == 0)
        return false;
    *row = ref - 1;
    record = (struct mpdata_data_record *)access->records.rows.data + *row;
    if (!is_new)
        record->count = mprof_add_sat_u64(record->count, count);
    return true;
}

bool mpdata_data_access_location(struct mpdata_data_access *access,
                                 uint32_t record, uint32_t file, uint32_t line)
{
    const struct mpdata_data_location key = {
        .record = record, .file = file, .line = line};

    return mpdata_set_add(&access->locations, &key, NULL) != 0;
}

bool mpdata_data_access_cold(struct mpdata_data_access *access,
                             struct mpdata_data_id data)
{
    return mpdata_set_add(&access->cold, &data, NULL) != 0;
}

/* -- copies ----------------------------------------------------------------- */

/* What a row of strings is in `into`. */
static bool map_string(const struct mpdata_data_access *from, uint64_t row,
                       struct mpdata_data_access *into, uint32_t *to)
{
    const struct mpdata_str *s =
        (const struct mpdata_str *)from->strings.rows.data + row;

    return mpdata_data_access_string(into, s->bytes, s->size, to);
}

static bool map_data(const struct mpdata_data_access *from,
                     struct mpdata_data_id data,
                     struct mpdata_data_access *into, struct mpdata_data_id *to)
{
    uint32_t row = 0;

    *to = data;
    if (data.is_literal)
        return true;
    if (!map_string(from, data.id, into, &row))
        return false;
    to->id = row;
    return true;
}

/* Records of `from` in the order of rows[], and their locations; map[] as large
 * as the records. */
static bool copy_records(const struct mpdata_data_access *from,
                         const struct mpdata_data_record *rows, uint64_t weight,
                         uint32_t *map, struct mpdata_data_access *into)
{
    const struct mpdata_data_record *old = from->records.rows.data;
    const struct mpdata_data_location *locations = from->locations.rows.data;

    for (uint32_t i = 0; i < from->records.rows.count; i++) {
        struct mpdata_data_id data;
        uint32_t row;

        if (!map_data(from, rows[i].data, into, &data) ||
            !mpdata_data_access_record(
                into, data, mprof_mul_sat_u64(rows[i].count, weight), &row))
            return false;
    }
    for (uint32_t i = 0; i < from->records.rows.count; i++) {
        struct mpdata_data_id data;

        if (!map_data(from, old[i].data, into, &data) ||
            !mpdata_data_access_record(into, data, 0, &map[i]))
            return false;
    }
    for (uint32_t i = 0; i < from->locations.rows.count; i++) {
        uint32_t file;

        if (!map_string(from, locations[i].file, into, &file) ||
            !mpdata_data_access_location(into, map[locations[i].record], file,
                                         locations[i].line))
            return false;
    }
    return true;
}

enum mprof_err mpdata_data_access_merge(struct mpdata_data_access *into,
                                        const struct mpdata_data_access *from,
                                        uint64_t weight)
{
    const struct mpdata_data_id *cold = from->cold.rows.data;
    uint32_t *map = mpdata_vec_array(from->records.rows.count, sizeof(*map));
    bool is_done = map != NULL && copy_records(from, from->records.rows.data,
                                               weight, map, into);

    for (uint32_t i = 0; i < from->cold.rows.count && is_done; i++) {
        struct mpdata_data_id data;

        is_done = map_data(from, cold[i], into, &data) &&
                  mpdata_data_access_cold(into, data);
    }
    free(map);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- order ------------------------------------------------------------------ */

/* Of strings in order, whose rows compare as they do. */
static int compare_data(const void *left, const void *right)
{
    const struct mpdata_data_id *a = left;
    const struct mpdata_data_id *b = right;

    if (a->is_literal != b->is_literal)
        return a->is_literal ? 1 : -1;
    return mprof_compare_u64(a->id, b->id);
}

static int compare_records(const void *left, const void *right)
{
    const struct mpdata_data_record *a = left;
    const struct mpdata_data_record *b = right;

    if (a->count != b->count)
        return mprof_compare_u64(b->count, a->count);
    return compare_data(&a->data, &b->data);
}

static int compare_locations(const void *left, const void *right)
{
    const struct mpdata_data_location *a = left;
    const struct mpdata_data_location *b = right;

    if (a->record != b->record)
        return mprof_compare_u64(a->record, b->record);
    if (a->file != b->file)
        return mprof_compare_u64(a->file, b->file);
    return mprof_compare_u64(a->line, b->line);
}

/* A sorted copy of a set's rows; NULL without memory. */
static void *sorted(const struct mpdata_set *set,
                    int (*compare)(const void *, const void *))
{
    const struct mpdata_vec *rows = &set->rows;
    void *copy = mpdata_vec_array(rows->count, rows->elem_bytes);

    if (copy != NULL && rows->count != 0) {
        memcpy(copy, rows->data, (size_t)rows->count * rows->elem_bytes);
        qsort(copy, rows->count, rows->elem_bytes, compare);
    }
    return copy;
}

static bool is_accessed(const struct mpdata_data_access *access,
                        const struct mpdata_data_id *data)
{
    const struct mpdata_data_record key = {.data = *data};

    return mpdata_map_find(&access->records.map, hash_record(&key),
                           equal_record, access->records.rows.data, &key) != 0;
}

/* `from` has its strings in order, and *out has the same rows. */
static bool copy_sorted(const struct mpdata_data_access *from,
                        struct mpdata_data_access *out)
{
    struct mpdata_data_record *records =
        sorted(&from->records, compare_records);
    struct mpdata_data_id *cold = sorted(&from->cold, compare_data);
    struct mpdata_data_location *locations;
    uint32_t *map = mpdata_vec_array(from->records.rows.count, sizeof(*map));
    bool is_done = records != NULL && cold != NULL && map != NULL &&
                   copy_records(from, records, 1, map, out);

    if (is_done && out->locations.rows.count != 0) {
        /* In order, the set's index is of no more use. */
        locations = out->locations.rows.data;
        qsort(locations, out->locations.rows.count, sizeof(*locations),
              compare_locations);
        mpdata_map_fini(&out->locations.map);
    }
    for (uint32_t i = 0; i < from->cold.rows.count && is_done; i++)
        is_done = is_accessed(from, &cold[i]) ||
                  mpdata_data_access_cold(out, cold[i]);
    free(map);
    free(cold);
    free(records);
    return is_done;
}

enum mprof_err
mpdata_data_access_canonical(const struct mpdata_data_access *access,
                             struct mpdata_data_access *out)
{
    struct mpdata_data_access ordered;
    struct mpdata_str *strings = sorted(&access->strings, mpdata_str_compare);
    enum mprof_err err = strings != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
    uint32_t row;

    mpdata_data_access_init(&ordered);
    for (uint32_t i = 0; i < access->strings.rows.count && err == MPROF_E_OK;
         i++) {
        if (!mpdata_data_access_string(&ordered, strings[i].bytes,
                                       strings[i].size, &row) ||
            !mpdata_data_access_string(out, strings[i].bytes, strings[i].size,
                                       &row))
            err = MPROF_E_NOMEM;
    }
    if (err == MPROF_E_OK)
        err = mpdata_data_access_merge(&ordered, access, 1);
    if (err == MPROF_E_OK && !copy_sorted(&ordered, out))
        err = MPROF_E_NOMEM;
    mpdata_data_access_fini(&ordered);
    free(strings);
    return err;
}
