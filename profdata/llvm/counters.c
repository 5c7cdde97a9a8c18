/* counters.c -- PGO counters of an indexed file, read and written.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/diag.h"
#include "profdata/llvm/chash.h"
#include "profdata/model/content.h"
#include "shared/cursor.h"
#include "shared/le.h"

#include <inttypes.h>
#include <string.h>

#define SECTION_HEADER "index header"
#define SECTION_SUMMARY "counter summary"
#define SECTION_COUNTERS "counters"
#define SECTION_BINARY_IDS "binary ids"
#define SECTION_VTABLES "vtable names"
#define SECTION_TEMPORAL "temporal traces"

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

/* Keeps the bytes read from `start` to the cursor. */
static enum mprof_err keep_from(struct mpdata_counters *counters,
                                const struct mprof_cursor *c, size_t start,
                                struct mpdata_bytes *part,
                                struct mprof_diag *diag)
{
    if (c->err != MPROF_E_OK)
        return mprof_cursor_status(c, diag);
    if (!mpdata_counters_keep(counters, c->data + start, c->pos - start, part))
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

/* Skips the summary, and the one of context-sensitive counters if the version
 * word has its bit. */
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

/* A cursor after the number that begins a part of the file. */
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

        if (bytes == NULL)
            break;
        struct mpdata_bytes *id = mpdata_vec_push(&counters->binary_ids);
        if (id == NULL || !mpdata_counters_keep(counters, bytes, length, id))
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

/* Skips temporal traces after their count. */
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

/* -- functions ------------------------------------------------------------- */

static enum mprof_err see_function(void *context,
                                   const struct mpdata_chash_item *item,
                                   struct mprof_diag *diag)
{
    (void)context;
    (void)item;
    (void)diag;
    return MPROF_E_OK;
}

/* Is the table complete? file_off: offset of its first byte. */
static enum mprof_err check_table(struct mpdata_counters *counters,
                                  uint64_t file_off, struct mprof_diag *diag)
{
    const struct mpdata_bytes *const bytes = &counters->table;
    struct mpdata_chash table;
    enum mprof_err err =
        mpdata_chash_open(&table, bytes->data, bytes->size, counters->table_off,
                          file_off, 0, SECTION_COUNTERS, diag);

    if (err != MPROF_E_OK)
        return err;
    counters->functions = table.entries;
    if (counters->table_off % 8 != 0 ||
        counters->table_off < MPDATA_COUNTERS_TABLE_START ||
        counters->table_off + MPROF_INDEX_BUCKETS_OFF + 8 * table.buckets !=
            bytes->size)
        return mprof_err_fail(diag, MPROF_E_OFFSET, SECTION_COUNTERS,
                              file_off + counters->table_off);
    return mpdata_chash_visit(&table, see_function, NULL, diag);
}

/* Reads the items, which follow the summary, and their table. */
static enum mprof_err read_table(struct mpdata_counters *counters,
                                 const struct mpdata_chash *in_file,
                                 size_t start, struct mprof_diag *diag)
{
    const uint64_t end =
        in_file->table_off + MPROF_INDEX_BUCKETS_OFF + 8 * in_file->buckets;

    if (in_file->table_off < start)
        return mprof_err_fail(diag, MPROF_E_OFFSET, SECTION_COUNTERS, start);
    start -= MPDATA_COUNTERS_TABLE_START;
    uint8_t *copy = mpdata_arena_alloc(&counters->arena, end - start);
    if (copy == NULL)
        return mprof_err_fail(diag, MPROF_E_NOMEM, SECTION_COUNTERS, start);
    memcpy(copy, in_file->data + start, end - start);
    memset(copy, 0, MPDATA_COUNTERS_TABLE_START);
    counters->table = (struct mpdata_bytes){copy, end - start};
    counters->table_off = in_file->table_off - start;
    for (uint64_t at = counters->table_off + MPROF_INDEX_BUCKETS_OFF;
         at < counters->table.size; at += 8) {
        const uint64_t off = mprof_le_load64(copy + at);

        if (off != 0 && off < start + MPDATA_COUNTERS_TABLE_START)
            return mprof_err_fail(diag, MPROF_E_OFFSET, SECTION_COUNTERS,
                                  start + at);
        mprof_le_store(copy + at, off != 0 ? off - start : 0, 8);
    }
    return check_table(counters, start, diag);
}

/* The table's functions must have the form of the version that is written. */
static enum mprof_err check_version(const struct mprof_index_llvm *h,
                                    struct mprof_diag *diag)
{
    if (h->version >= MPROF_INDEX_VERSION_BITMAP_MIN)
        return MPROF_E_OK;
    return mpdata_diag_fail(
        diag, MPROF_E_UNSUPPORTED, SECTION_HEADER, 8,
        "PGO counters of version %" PRIu64
        "; run llvm-profdata merge FILE -o FILE.profdata first",
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
        err = read_table(counters, &table, summary_off + counters->summary.size,
                         diag);
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

/* -- counters from another source ------------------------------------------ */

static enum mprof_err end_of(const struct mprof_cursor *c)
{
    if (c->err != MPROF_E_OK)
        return c->err;
    return mprof_cursor_left(c) == 0 ? MPROF_E_OK : MPROF_E_VALUE;
}

enum mprof_err mpdata_counters_read_check(struct mpdata_counters *counters)
{
    const uint64_t word = mpdata_counters_write_version(counters);
    const struct mprof_index_llvm h = {
        .variant = word & MPROF_INDEX_VARIANT_MASK,
        .version = word & ~MPROF_INDEX_VARIANT_MASK};
    struct mprof_cursor c = mprof_cursor_over(
        counters->summary.data, counters->summary.size, 0, SECTION_SUMMARY);
    enum mprof_err err = check_version(&h, NULL);

    counters->version = h.version;
    if (err == MPROF_E_OK)
        err = check_table(counters, 0, NULL);
    counters->is_present =
        counters->functions != 0 || (word & MPROF_INDEX_VARIANT_IR) != 0;
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
    return err;
}

/* -- writing --------------------------------------------------------------- */

uint64_t mpdata_counters_write_version(const struct mpdata_counters *counters)
{
    uint64_t version = MPROF_INDEX_VERSION;

    /* LLVM 19 reads up to 12; 13 is for counters that would not match in 12. */
    if ((counters->variant & MPROF_INDEX_VARIANT_IR) == 0)
        version = mprof_max_u64(version, counters->version);
    return version | counters->variant;
}

void mpdata_counters_write_table(const struct mpdata_counters *counters,
                                 struct mprof_buf *out, uint64_t *table_off)
{
    const uint8_t *const data = counters->table.data;
    const size_t shift = out->size - MPDATA_COUNTERS_TABLE_START;

    *table_off = counters->table_off + shift;
    mprof_buf_bytes(out, data + MPDATA_COUNTERS_TABLE_START,
                    counters->table.size - MPDATA_COUNTERS_TABLE_START);
    for (size_t at = counters->table_off + MPROF_INDEX_BUCKETS_OFF;
         at < counters->table.size && !out->failed; at += 8) {
        const uint64_t off = mprof_le_load64(data + at);

        if (off != 0)
            mprof_buf_patch(out, at + shift, off + shift, 8);
    }
}
