/* chash.c -- LLVM's on-disk chained hash table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/chash.h"
#include "profdata/base/vec.h"
#include "shared/buf.h"
#include "shared/cursor.h"
#include "shared/le.h"

#include <stdlib.h>
#include <string.h>

#define ITEM_BYTES_MIN 16u /* hash and data length */

/* LLVM's number of buckets: readers need a power of two. */
static uint64_t bucket_count(uint64_t entries)
{
    uint64_t n = 1;

    if (entries <= 2)
        return 1;
    while (n < entries * 4 / 3 + 1)
        n *= 2;
    return n;
}

/* Fills items[] with item numbers by bucket, then by number; starts[b] is the
 * first index of bucket b in items[], starts[n] the count. */
static void sort_by_bucket(const struct mpdata_chash_source *source,
                           uint64_t buckets, uint64_t *starts, uint64_t *items)
{
    for (uint64_t i = 0; i < source->count; i++)
        starts[source->hash(source->context, i) & (buckets - 1)]++;
    for (uint64_t b = 1; b <= buckets; b++)
        starts[b] += starts[b - 1];
    for (uint64_t i = source->count; i-- > 0;)
        items[--starts[source->hash(source->context, i) & (buckets - 1)]] = i;
}

/* -- writing ---------------------------------------------------------------- */

/* Writes the items of one bucket; their number must fit 16 bits. */
static enum mprof_err write_bucket(const struct mpdata_chash_source *source,
                                   const uint64_t *items, uint64_t count,
                                   struct mprof_buf *out)
{
    if (count > UINT16_MAX)
        return MPROF_E_LIMIT;
    mprof_buf_uint(out, count, 2);
    for (uint64_t i = 0; i < count; i++) {
        mprof_buf_u64(out, source->hash(source->context, items[i]));
        source->write(source->context, items[i], out);
    }
    return out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

enum mprof_err mpdata_chash_write(const struct mpdata_chash_source *source,
                                  struct mprof_buf *out, uint64_t *table_off)
{
    const uint64_t buckets = bucket_count(source->count);
    uint64_t *starts = mpdata_vec_array(buckets + 1, sizeof(*starts));
    uint64_t *items = mpdata_vec_array(source->count, sizeof(*items));
    uint64_t *offsets = mpdata_vec_array(buckets, sizeof(*offsets));
    enum mprof_err err = MPROF_E_NOMEM;

    if (starts == NULL || items == NULL || offsets == NULL)
        goto out;
    sort_by_bucket(source, buckets, starts, items);
    for (uint64_t b = 0; b < buckets; b++) {
        const uint64_t count = starts[b + 1] - starts[b];

        if (count == 0)
            continue;
        offsets[b] = out->size;
        err = write_bucket(source, items + starts[b], count, out);
        if (err != MPROF_E_OK)
            goto out;
    }
    mprof_buf_align(out, 8);
    *table_off = out->size;
    mprof_buf_u64(out, buckets);
    mprof_buf_u64(out, source->count);
    for (uint64_t b = 0; b < buckets; b++)
        mprof_buf_u64(out, offsets[b]);
    err = out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
out:
    free(offsets);
    free(items);
    free(starts);
    return err;
}

static struct mprof_cursor cursor_at(const struct mpdata_chash *table,
                                     uint64_t off)
{
    struct mprof_cursor c = mprof_cursor_over(table->data, table->size,
                                              table->file_off, table->section);

    mprof_cursor_seek(&c, off);
    return c;
}

enum mprof_err mpdata_chash_open(struct mpdata_chash *table, const void *data,
                                 size_t size, uint64_t table_off,
                                 uint64_t file_off, uint32_t key_bytes,
                                 const char *section, struct mprof_diag *diag)
{
    *table = (struct mpdata_chash){.data = data,
                                   .size = size,
                                   .file_off = file_off,
                                   .section = section,
                                   .table_off = table_off,
                                   .key_bytes = key_bytes};
    struct mprof_cursor c = cursor_at(table, table_off);
    table->buckets = mprof_cursor_u64(&c);
    table->entries = mprof_cursor_u64(&c);
    if (c.err == MPROF_E_OK &&
        (table->buckets == 0 || (table->buckets & (table->buckets - 1)) != 0))
        mprof_cursor_fail(&c, MPROF_E_VALUE);
    if (table->entries > size / ITEM_BYTES_MIN)
        mprof_cursor_fail(&c, MPROF_E_VALUE);
    mprof_cursor_can_hold(&c, table->buckets, 8);
    return mprof_cursor_status(&c, diag);
}

/* Offset of a bucket's items, 0 for an empty one; opened tables only. */
static uint64_t bucket_off(const struct mpdata_chash *table, uint64_t bucket)
{
    return mprof_le_load64(table->data + table->table_off + 16 + 8 * bucket);
}

static void read_item(const struct mpdata_chash *table, struct mprof_cursor *c,
                      struct mpdata_chash_item *item)
{
    uint64_t key_size = table->key_bytes;

    item->hash = mprof_cursor_u64(c);
    if (key_size == 0)
        key_size = mprof_cursor_u64(c);
    uint64_t data_size = mprof_cursor_u64(c);
    item->key = mprof_cursor_bytes(c, key_size);
    item->file_off = c->file_off + c->pos;
    item->data = mprof_cursor_bytes(c, data_size);
    item->key_size = (size_t)key_size;
    item->data_size = (size_t)data_size;
}

static enum mprof_err visit_bucket(const struct mpdata_chash *table,
                                   uint64_t bucket, struct mprof_cursor *c,
                                   mpdata_chash_visit_fn *visit, void *context,
                                   struct mprof_diag *diag)
{
    const uint32_t count = mprof_cursor_u16(c);
    struct mpdata_chash_item item;
    enum mprof_err err;

    for (uint32_t i = 0; i < count; i++) {
        read_item(table, c, &item);
        if ((item.hash & (table->buckets - 1)) != bucket)
            mprof_cursor_fail(c, MPROF_E_VALUE);
        if (c->err != MPROF_E_OK)
            return mprof_cursor_status(c, diag);
        err = visit(context, &item, diag);
        if (err != MPROF_E_OK)
            return err;
    }
    return mprof_cursor_status(c, diag);
}

enum mprof_err mpdata_chash_visit(const struct mpdata_chash *table,
                                  mpdata_chash_visit_fn *visit, void *context,
                                  struct mprof_diag *diag)
{
    uint64_t end = 0;
    enum mprof_err err;

    for (uint64_t b = 0; b < table->buckets; b++) {
        const uint64_t off = bucket_off(table, b);

        if (off == 0)
            continue;
        if (off < end)
            return mprof_err_fail(diag, MPROF_E_OFFSET, table->section,
                                  table->file_off + table->table_off + 16 +
                                      8 * b);
        struct mprof_cursor c = cursor_at(table, off);
        err = visit_bucket(table, b, &c, visit, context, diag);
        if (err != MPROF_E_OK)
            return err;
        end = c.pos;
    }
    return MPROF_E_OK;
}

enum mprof_err mpdata_chash_find(const struct mpdata_chash *table,
                                 uint64_t hash, const void *key,
                                 size_t key_size, bool *found,
                                 struct mpdata_chash_item *item,
                                 struct mprof_diag *diag)
{
    const uint64_t off = bucket_off(table, hash & (table->buckets - 1));
    struct mprof_cursor c = cursor_at(table, off);

    *found = false;
    if (off == 0)
        return MPROF_E_OK;
    uint32_t count = mprof_cursor_u16(&c);
    for (uint32_t i = 0; i < count && c.err == MPROF_E_OK; i++) {
        struct mpdata_chash_item next;

        read_item(table, &c, &next);
        if (c.err == MPROF_E_OK && next.hash == hash &&
            next.key_size == key_size &&
            (key_size == 0 || memcmp(next.key, key, key_size) == 0)) {
            *item = next;
            *found = true;
            return MPROF_E_OK;
        }
    }
    return mprof_cursor_status(&c, diag);
}
