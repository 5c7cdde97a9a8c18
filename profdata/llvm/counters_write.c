/* counters_write.c -- PGO counters as parts of an indexed file.
 *
 * The summary of one input is written as it was; that of several is computed as
 * LLVM's ProfileSummaryBuilder does.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/chash.h"
#include "profdata/model/counters.h"

#include <stdlib.h>

/* What a detailed summary counts in: cutoffs are parts of this. */
#define CUTOFF_SCALE 1000000u

uint64_t mpdata_counters_write_version(const struct mpdata_counters *counters)
{
    uint64_t version = MPROF_INDEX_VERSION;

    /* LLVM 19 reads up to 12, so 13 is for what would not match in 12. */
    if ((counters->variant & MPROF_INDEX_VARIANT_IR) == 0)
        version = mprof_max_u64(version, counters->version);
    return version | counters->variant;
}

/* -- summary --------------------------------------------------------------- */

struct summary {
    struct mpdata_vec counts; /* uint64_t */
    uint64_t functions;
    uint64_t total;
    uint64_t max;
    uint64_t max_function;
    uint64_t max_internal;
    bool failed;
};

static void add_count(struct summary *s, uint64_t count, bool is_entry)
{
    uint64_t *row;

    if (count == UINT64_MAX)
        return;
    row = mpdata_vec_push(&s->counts);
    if (row == NULL) {
        s->failed = true;
        return;
    }
    *row = count;
    s->total = mprof_add_sat_u64(s->total, count);
    s->max = mprof_max_u64(s->max, count);
    s->functions += is_entry;
    if (is_entry)
        s->max_function = mprof_max_u64(s->max_function, count);
    else
        s->max_internal = mprof_max_u64(s->max_internal, count);
}

/* All functions whose counters are context-sensitive, or those that are not. */
static void count_all(struct summary *s, const struct mpdata_counters *counters,
                      bool is_cs)
{
    const struct mpdata_counter_function *f = counters->functions.rows.data;

    for (uint32_t i = 0; i < counters->functions.rows.count; i++) {
        const struct mpdata_counter_record *r = f[i].records.data;

        for (uint32_t j = 0; j < f[i].records.count; j++) {
            const bool cs =
                (r[j].hash >> MPROF_INDEX_FUNCTION_HASH_CS_BIT & 1) != 0;

            if (cs != is_cs || r[j].count_count == 0 ||
                r[j].counts[0] > MPROF_INDEX_COUNT_MAX)
                continue;
            for (uint64_t k = 0; k < r[j].count_count; k++)
                add_count(s, r[j].counts[k], k == 0);
        }
    }
}

static int compare_descending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return a > b ? -1 : a < b;
}

/* For each cutoff: the counts, largest first, that make up that part of all
 * counts together; equal counts go together. */
static void write_cutoffs(const struct summary *s, struct mprof_buf *out)
{
    const uint64_t *counts = s->counts.data;
    const uint32_t n = s->counts.count;
    uint64_t sum = 0;
    uint64_t smallest = 0;
    uint32_t seen = 0;

    for (size_t i = 0; i < MPROF_INDEX_SUMMARY_CUTOFFS; i++) {
        const uint64_t cutoff = mprof_index_summary_cutoffs[i];
        const uint64_t wanted =
            (uint64_t)((unsigned __int128)s->total * cutoff / CUTOFF_SCALE);

        while (sum < wanted && seen < n) {
            smallest = counts[seen];
            while (seen < n && counts[seen] == smallest) {
                sum = mprof_add_sat_u64(sum, smallest);
                seen++;
            }
        }
        mprof_buf_u64(out, cutoff);
        mprof_buf_u64(out, smallest);
        mprof_buf_u64(out, seen);
    }
}

static enum mprof_err write_one_summary(const struct mpdata_counters *counters,
                                        bool is_cs, struct mprof_buf *out)
{
    struct summary s = {.counts = {.elem_bytes = sizeof(uint64_t)}};

    count_all(&s, counters, is_cs);
    if (s.counts.count > 1)
        qsort(s.counts.data, s.counts.count, sizeof(uint64_t),
              compare_descending);
    mprof_buf_u64(out, MPROF_INDEX_SUMMARY_FIELDS);
    mprof_buf_u64(out, MPROF_INDEX_SUMMARY_CUTOFFS);
    mprof_buf_u64(out, s.functions);
    mprof_buf_u64(out, s.counts.count);
    mprof_buf_u64(out, s.max_function);
    mprof_buf_u64(out, s.max);
    mprof_buf_u64(out, s.max_internal);
    mprof_buf_u64(out, s.total);
    write_cutoffs(&s, out);
    mpdata_vec_fini(&s.counts);
    return s.failed || out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

enum mprof_err
mpdata_counters_write_summary(const struct mpdata_counters *counters,
                              struct mprof_buf *out)
{
    enum mprof_err err;

    if (!counters->is_merged) {
        mprof_buf_bytes(out, counters->summary.data, counters->summary.size);
        return out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
    }
    err = write_one_summary(counters, false, out);
    if (err == MPROF_E_OK &&
        (counters->variant & MPROF_INDEX_VARIANT_CSIR) != 0)
        err = write_one_summary(counters, true, out);
    return err;
}

/* -- table ----------------------------------------------------------------- */

static uint64_t hash_function(const void *context, uint64_t i)
{
    const struct mpdata_counters *c = context;

    return ((const struct mpdata_counter_function *)c->functions.rows.data)[i]
        .key;
}

static void write_sites(uint32_t kind, const struct mpdata_value_site *sites,
                        uint32_t count, size_t start, struct mprof_buf *out)
{
    static const uint8_t zeros[8];

    mprof_buf_u32(out, kind);
    mprof_buf_u32(out, count);
    for (uint32_t i = 0; i < count; i++)
        mprof_buf_uint(out, sites[i].count, 1);
    if (!out->failed)
        mprof_buf_bytes(out, zeros,
                        mprof_round_up(out->size - start, 8) -
                            (out->size - start));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t v = 0; v < sites[i].count; v++) {
            mprof_buf_u64(out, sites[i].values[v].value);
            mprof_buf_u64(out, sites[i].values[v].count);
        }
    }
}

static void write_values(const struct mpdata_counter_record *r,
                         struct mprof_buf *out)
{
    const size_t start = out->size;
    uint32_t kinds = 0;

    for (int kind = 0; kind < MPDATA_VALUE_KINDS; kind++)
        kinds += r->site_counts[kind] != 0;
    mprof_buf_u32(out, 0);
    mprof_buf_u32(out, kinds);
    for (uint32_t kind = 0; kind < MPDATA_VALUE_KINDS; kind++) {
        if (r->site_counts[kind] != 0)
            write_sites(kind, r->sites[kind], r->site_counts[kind], start, out);
    }
    if (!out->failed)
        mprof_buf_patch(out, start, out->size - start, 4);
}

static void write_record(const struct mpdata_counter_record *r,
                         struct mprof_buf *out)
{
    mprof_buf_u64(out, r->hash);
    mprof_buf_u64(out, r->count_count);
    for (uint64_t i = 0; i < r->count_count; i++)
        mprof_buf_u64(out, r->counts[i]);
    mprof_buf_u64(out, r->bitmap_count);
    for (uint64_t i = 0; i < r->bitmap_count; i++)
        mprof_buf_u64(out, r->bitmap[i]);
    write_values(r, out);
}

static void write_function(const void *context, uint64_t i,
                           struct mprof_buf *out)
{
    const struct mpdata_counters *c = context;
    const struct mpdata_counter_function *f =
        (const struct mpdata_counter_function *)c->functions.rows.data + i;
    const struct mpdata_counter_record *records = f->records.data;
    const size_t lengths = out->size;
    size_t start;

    mprof_buf_u64(out, f->name_size);
    mprof_buf_u64(out, 0);
    mprof_buf_bytes(out, f->name, f->name_size);
    start = out->size;
    for (uint32_t j = 0; j < f->records.count; j++)
        write_record(&records[j], out);
    if (!out->failed)
        mprof_buf_patch(out, lengths + 8, out->size - start, 8);
}

enum mprof_err
mpdata_counters_write_table(const struct mpdata_counters *counters,
                            struct mprof_buf *out, uint64_t *table_off)
{
    const struct mpdata_chash_source source = {
        .count = counters->functions.rows.count,
        .context = counters,
        .hash = hash_function,
        .write = write_function};

    return mpdata_chash_write(&source, out, table_off);
}

void mpdata_counters_write_vtables(const struct mpdata_counters *counters,
                                   struct mprof_buf *out)
{
    mprof_buf_u64(out, counters->vtables.size);
    mprof_buf_bytes(out, counters->vtables.data, counters->vtables.size);
    mprof_buf_align(out, 8);
}
