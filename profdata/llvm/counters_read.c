/* counters_read.c -- PGO counters of an indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/chash.h"
#include "shared/index_llvm.h"
#include "profdata/model/counters.h"
#include "profdata/base/diag.h"

#include <inttypes.h>
#include <string.h>

#define SECTION_HEADER "index header"
#define SECTION_SUMMARY "counter summary"
#define SECTION_COUNTERS "counters"
#define SECTION_BINARY_IDS "binary ids"
#define SECTION_VTABLES "vtable names"
#define SECTION_TEMPORAL "temporal traces"

#define VALUE_DATA_HEADER_BYTES 8u

static enum mprof_err read_header(const void *data, size_t size,
                                  struct mprof_index_llvm *h,
                                  size_t *summary_off, struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, SECTION_HEADER);

    mprof_index_llvm_read(h, &c);
    if (c.err == MPROF_E_VERSION)
        return mpdata_diag_fail(diag, MPROF_E_VERSION, SECTION_HEADER,
                                MPROF_INDEX_HEADER_VERSION_OFF,
                                "version %" PRIu64, h->version);
    *summary_off = c.pos;
    return mprof_cursor_status(&c, diag);
}

static bool keep(struct mpdata_arena *arena, const uint8_t *data, uint64_t size,
                 struct mpdata_bytes *part)
{
    uint8_t *copy = mpdata_arena_alloc(arena, size);

    if (copy == NULL)
        return false;
    if (size != 0)
        memcpy(copy, data, size);
    *part = (struct mpdata_bytes){.data = copy, .size = size};
    return true;
}

/* What was read between two places of a cursor. */
static enum mprof_err keep_from(struct mpdata_counters *counters,
                                const struct mprof_cursor *c, size_t start,
                                struct mpdata_bytes *part,
                                struct mprof_diag *diag)
{
    if (c->err != MPROF_E_OK)
        return mprof_cursor_status(c, diag);
    if (!keep(&counters->arena, c->data + start, c->pos - start, part))
        return mprof_err_fail(diag, MPROF_E_NOMEM, c->section, start);
    return MPROF_E_OK;
}

static void skip_words(struct mprof_cursor *c, uint64_t count)
{
    if (mprof_cursor_can_hold(c, count, 8))
        mprof_cursor_bytes(c, count * 8);
}

static void skip_summary(struct mprof_cursor *c)
{
    const uint64_t fields = mprof_cursor_u64(c);
    const uint64_t cutoffs = mprof_cursor_u64(c);

    skip_words(c, fields);
    if (mprof_cursor_can_hold(c, cutoffs, 24))
        mprof_cursor_bytes(c, cutoffs * 24);
}

/* The summary, and that of context-sensitive counters where the word says that
 * there is one. */
static void skip_summaries(struct mprof_cursor *c, uint64_t word)
{
    skip_summary(c);
    if ((word & MPROF_INDEX_VARIANT_CSIR) != 0)
        skip_summary(c);
}

static enum mprof_err read_summary(struct mpdata_counters *counters,
                                   const void *data, size_t size,
                                   const struct mprof_index_llvm *h,
                                   size_t start, struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, SECTION_SUMMARY);

    mprof_cursor_seek(&c, start);
    skip_summaries(&c, h->variant);
    return keep_from(counters, &c, start, &counters->summary, diag);
}

/* A part of the file that starts with a number. */
static struct mprof_cursor open_part(const void *data, size_t size,
                                     uint64_t off, const char *section,
                                     uint64_t *number)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, section);

    mprof_cursor_seek(&c, off);
    *number = mprof_cursor_u64(&c);
    return c;
}

static enum mprof_err read_binary_ids(struct mpdata_counters *counters,
                                      const void *data, size_t size,
                                      uint64_t off, struct mprof_diag *diag)
{
    uint64_t end;
    struct mprof_cursor c =
        open_part(data, size, off, SECTION_BINARY_IDS, &end);

    if (!mprof_cursor_can_hold(&c, end, 1))
        return mprof_cursor_status(&c, diag);
    end += c.pos;
    while (c.err == MPROF_E_OK && c.pos < end) {
        const uint64_t length = mprof_cursor_u64(&c);
        const uint8_t *bytes = mprof_cursor_bytes(&c, length);
        struct mpdata_bytes *id;

        if (bytes == NULL)
            break;
        id = mpdata_vec_push(&counters->binary_ids);
        if (id == NULL || !keep(&counters->arena, bytes, length, id))
            return mprof_err_fail(diag, MPROF_E_NOMEM, SECTION_BINARY_IDS, off);
        mprof_cursor_seek(&c, mprof_min_u64(mprof_round_up(c.pos, 8), size));
    }
    return mprof_cursor_status(&c, diag);
}

static enum mprof_err read_vtables(struct mpdata_counters *counters,
                                   const void *data, size_t size, uint64_t off,
                                   struct mprof_diag *diag)
{
    uint64_t length;
    struct mprof_cursor c =
        open_part(data, size, off, SECTION_VTABLES, &length);

    mprof_cursor_bytes(&c, length);
    return keep_from(counters, &c, off + 8, &counters->vtables, diag);
}

/* Temporal traces, of which the count was read. */
static void skip_traces(struct mprof_cursor *c, uint64_t count)
{
    mprof_cursor_u64(c);
    mprof_cursor_can_hold(c, count, 16);
    for (uint64_t i = 0; i < count && c->err == MPROF_E_OK; i++) {
        mprof_cursor_u64(c);
        skip_words(c, mprof_cursor_u64(c));
    }
}

static enum mprof_err read_temporal(struct mpdata_counters *counters,
                                    const void *data, size_t size, uint64_t off,
                                    struct mprof_diag *diag)
{
    uint64_t count;
    struct mprof_cursor c =
        open_part(data, size, off, SECTION_TEMPORAL, &count);

    skip_traces(&c, count);
    return keep_from(counters, &c, off, &counters->temporal, diag);
}

/* -- records --------------------------------------------------------------- */

struct reading {
    struct mpdata_counters *counters;
    bool has_bitmaps;
};

static uint64_t *read_words(struct mpdata_arena *arena, struct mprof_cursor *c,
                            uint64_t count)
{
    uint64_t *words;

    if (!mprof_cursor_can_hold(c, count, 8))
        return NULL;
    words = mpdata_arena_alloc(arena, count * 8);
    if (words == NULL) {
        mprof_cursor_fail(c, MPROF_E_NOMEM);
        return NULL;
    }
    for (uint64_t i = 0; i < count; i++)
        words[i] = mprof_cursor_u64(c);
    return words;
}

static void read_sites(struct mpdata_arena *arena, struct mprof_cursor *c,
                       struct mpdata_counter_record *r, size_t start)
{
    const uint32_t kind = mprof_cursor_u32(c);
    const uint32_t count = mprof_cursor_u32(c);
    const uint8_t *lengths = mprof_cursor_bytes(c, count);
    struct mpdata_value_site *sites;

    if (lengths == NULL)
        return;
    if (kind >= MPDATA_VALUE_KINDS || r->sites[kind] != NULL) {
        mprof_cursor_fail(c, MPROF_E_VALUE);
        return;
    }
    sites = mpdata_arena_alloc(arena, count * sizeof(*sites));
    if (sites == NULL) {
        mprof_cursor_fail(c, MPROF_E_NOMEM);
        return;
    }
    mprof_cursor_bytes(c, mprof_round_up(c->pos - start, 8) - (c->pos - start));
    for (uint32_t i = 0; i < count; i++) {
        sites[i] = (struct mpdata_value_site){.count = lengths[i]};
        if (!mprof_cursor_can_hold(c, lengths[i], 16))
            return;
        sites[i].values =
            mpdata_arena_alloc(arena, lengths[i] * sizeof(*sites[i].values));
        if (sites[i].values == NULL) {
            mprof_cursor_fail(c, MPROF_E_NOMEM);
            return;
        }
        for (uint32_t v = 0; v < lengths[i]; v++) {
            sites[i].values[v].value = mprof_cursor_u64(c);
            sites[i].values[v].count = mprof_cursor_u64(c);
        }
    }
    r->sites[kind] = sites;
    r->site_counts[kind] = count;
}

static void read_values(struct mpdata_arena *arena, struct mprof_cursor *c,
                        struct mpdata_counter_record *r)
{
    const size_t start = c->pos;
    const uint32_t bytes = mprof_cursor_u32(c);
    const uint32_t kinds = mprof_cursor_u32(c);

    if (bytes < VALUE_DATA_HEADER_BYTES || bytes % 8 != 0 ||
        kinds > MPDATA_VALUE_KINDS)
        mprof_cursor_fail(c, MPROF_E_VALUE);
    for (uint32_t i = 0; i < kinds && c->err == MPROF_E_OK; i++)
        read_sites(arena, c, r, start);
    if (c->err == MPROF_E_OK && c->pos - start != bytes)
        mprof_cursor_fail(c, MPROF_E_VALUE);
    for (int kind = 0; kind < MPDATA_VALUE_KINDS; kind++) {
        if (r->sites[kind] == NULL)
            r->sites[kind] = mpdata_arena_alloc(arena, 0);
        if (r->sites[kind] == NULL)
            mprof_cursor_fail(c, MPROF_E_NOMEM);
    }
}

static void read_record(const struct reading *reading, struct mprof_cursor *c,
                        struct mpdata_counter_function *f)
{
    struct mpdata_arena *arena = &reading->counters->arena;
    const struct mpdata_counter_record *old = f->records.data;
    struct mpdata_counter_record r = {.hash = mprof_cursor_u64(c)};
    struct mpdata_counter_record *row;

    r.count_count = mprof_cursor_u64(c);
    r.counts = read_words(arena, c, r.count_count);
    if (reading->has_bitmaps)
        r.bitmap_count = mprof_cursor_u64(c);
    r.bitmap = read_words(arena, c, r.bitmap_count);
    if (c->err == MPROF_E_OK)
        read_values(arena, c, &r);
    for (uint32_t i = 0; i < f->records.count; i++) {
        if (old[i].hash == r.hash)
            mprof_cursor_fail(c, MPROF_E_DUPLICATE);
    }
    if (f->records.count == MPDATA_COUNTER_SHAPES_MAX)
        mprof_cursor_fail(c, MPROF_E_LIMIT);
    if (c->err != MPROF_E_OK)
        return;
    row = mpdata_vec_push(&f->records);
    if (row == NULL)
        mprof_cursor_fail(c, MPROF_E_NOMEM);
    else
        *row = r;
}

static enum mprof_err read_function(void *context,
                                    const struct mpdata_chash_item *item,
                                    struct mprof_diag *diag)
{
    const struct reading *reading = context;
    struct mpdata_counters *counters = reading->counters;
    struct mprof_cursor c = mprof_cursor_over(item->data, item->data_size,
                                              item->file_off, SECTION_COUNTERS);
    struct mpdata_counter_function f = {
        .name_size = item->key_size,
        .key = item->hash,
        .records = {.elem_bytes = sizeof(struct mpdata_counter_record)}};
    struct mpdata_bytes name;
    bool is_new = false;
    uint32_t row = 0;

    while (c.err == MPROF_E_OK && mprof_cursor_left(&c) != 0)
        read_record(reading, &c, &f);
    if (c.err == MPROF_E_OK) {
        if (keep(&counters->arena, item->key, item->key_size, &name)) {
            f.name = (const char *)name.data;
            row = mpdata_set_add(&counters->functions, &f, &is_new);
        }
        if (row == 0)
            mprof_cursor_fail(&c, MPROF_E_NOMEM);
        else if (!is_new)
            mprof_cursor_fail(&c, MPROF_E_DUPLICATE);
    }
    if (!is_new || row == 0)
        mpdata_vec_fini(&f.records);
    return mprof_cursor_status(&c, diag);
}

static enum mprof_err read_table(struct mpdata_counters *counters,
                                 const struct mpdata_chash *table,
                                 const struct mprof_index_llvm *h,
                                 struct mprof_diag *diag)
{
    struct reading reading = {.counters = counters,
                              .has_bitmaps =
                                  h->version >= MPROF_INDEX_VERSION_BITMAP_MIN};

    return mpdata_chash_visit(table, read_function, &reading, diag);
}

/* The version of ours must mean the same to the compiler. */
static enum mprof_err check_version(const struct mprof_index_llvm *h,
                                    struct mprof_diag *diag)
{
    const bool is_ir = (h->variant & MPROF_INDEX_VARIANT_IR) != 0;
    const uint64_t min = is_ir ? MPROF_INDEX_VERSION_SUMMARY_MIN
                               : MPROF_INDEX_VERSION_FRONTEND_HASH_V3;

    if (h->version >= min)
        return MPROF_E_OK;
    return mpdata_diag_fail(diag, MPROF_E_UNSUPPORTED, SECTION_HEADER, 8,
                            "counters of version %" PRIu64
                            "; this version of LLVM's is too old",
                            h->version);
}

enum mprof_err mpdata_counters_read(const void *data, size_t size,
                                    struct mpdata_counters *counters,
                                    struct mprof_diag *diag)
{
    struct mpdata_chash table;
    struct mprof_index_llvm h;
    size_t summary_off = 0;
    enum mprof_err err = read_header(data, size, &h, &summary_off, diag);

    if (err == MPROF_E_OK)
        err = mpdata_chash_open(&table, data, size, h.table_off, 0, 0,
                                SECTION_COUNTERS, diag);
    if (err != MPROF_E_OK)
        return err;
    if (table.entries == 0 && (h.variant & MPROF_INDEX_VARIANT_IR) == 0)
        return MPROF_E_OK;
    err = check_version(&h, diag);
    if (err == MPROF_E_OK)
        err = read_summary(counters, data, size, &h, summary_off, diag);
    if (err == MPROF_E_OK)
        err = read_table(counters, &table, &h, diag);
    if (err == MPROF_E_OK && h.binary_ids_off != 0)
        err = read_binary_ids(counters, data, size, h.binary_ids_off, diag);
    if (err == MPROF_E_OK && h.vtables_off != 0)
        err = read_vtables(counters, data, size, h.vtables_off, diag);
    if (err == MPROF_E_OK && (h.variant & MPROF_INDEX_VARIANT_TEMPORAL) != 0 &&
        h.temporal_off != 0)
        err = read_temporal(counters, data, size, h.temporal_off, diag);
    counters->is_present = err == MPROF_E_OK;
    counters->version = h.version;
    counters->variant = h.variant & ~MPROF_INDEX_VARIANT_MEMPROF;
    return err;
}

/* -- counters that come from elsewhere --------------------------------------- */

static enum mprof_err end_of(const struct mprof_cursor *c)
{
    if (c->err != MPROF_E_OK)
        return c->err;
    return mprof_cursor_left(c) == 0 ? MPROF_E_OK : MPROF_E_VALUE;
}

static enum mprof_err check_records(const struct mpdata_counter_function *f)
{
    const struct mpdata_counter_record *r = f->records.data;

    if (f->records.count > MPDATA_COUNTER_SHAPES_MAX)
        return MPROF_E_LIMIT;
    for (uint32_t i = 0; i < f->records.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (r[k].hash == r[i].hash)
                return MPROF_E_DUPLICATE;
        }
    }
    return MPROF_E_OK;
}

enum mprof_err mpdata_counters_read_check(struct mpdata_counters *counters)
{
    const struct mpdata_counter_function *functions =
        counters->functions.rows.data;
    const uint64_t word = mpdata_counters_write_version(counters);
    const struct mprof_index_llvm h = {
        .variant = word & MPROF_INDEX_VARIANT_MASK,
        .version = word & ~MPROF_INDEX_VARIANT_MASK};
    struct mprof_cursor c = mprof_cursor_over(
        counters->summary.data, counters->summary.size, 0, SECTION_SUMMARY);
    enum mprof_err err = check_version(&h, NULL);

    counters->version = h.version;
    counters->is_present = counters->functions.rows.count != 0 ||
                           (word & MPROF_INDEX_VARIANT_IR) != 0;
    if ((word & MPROF_INDEX_VARIANT_TEMPORAL) == 0)
        counters->temporal = (struct mpdata_bytes){.size = 0};
    skip_summaries(&c, word);
    if (err == MPROF_E_OK)
        err = end_of(&c);
    if (err == MPROF_E_OK && counters->temporal.size != 0) {
        c = mprof_cursor_over(counters->temporal.data, counters->temporal.size,
                              0, SECTION_TEMPORAL);
        skip_traces(&c, mprof_cursor_u64(&c));
        err = end_of(&c);
    }
    for (uint32_t i = 0;
         i < counters->functions.rows.count && err == MPROF_E_OK; i++)
        err = check_records(&functions[i]);
    return err;
}
