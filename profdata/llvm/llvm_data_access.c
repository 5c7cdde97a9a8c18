/* llvm_data_access.c -- data access profiles as LLVM's memprof section of
 * version 4 holds them (layout: shared/index_llvm.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/data_access.h"
#include "profdata/base/diag.h"
#include "profdata/base/vec.h"
#include "shared/buf.h"
#include "shared/cursor.h"
#include "shared/index_llvm.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SECTION "LLVM data accesses"

/* zlib makes no more of a byte. */
#define INFLATE_RATIO_MAX 1040u

/* -- reading ----------------------------------------------------------------- */

/* The strings as rows of *access. Owned. */
struct strings {
    uint32_t *rows;
    uint64_t count; /* of records, then of known cold symbols */
    uint64_t cold_count;
};

/* Splits the blob into as many strings as there must be. */
static void split(struct mprof_cursor *c, struct mpdata_data_access *access,
                  const uint8_t *text, size_t size, struct strings *strings)
{
    const uint64_t all = strings->count + strings->cold_count;
    size_t start = 0;

    /* Separators stand between them, so this bounds the array. */
    if (strings->count > size + 1 || strings->cold_count > size + 1 ||
        all > size + 1) {
        mprof_cursor_fail(c, MPROF_E_VALUE);
        return;
    }
    strings->rows = mpdata_vec_array(all, sizeof(*strings->rows));
    if (strings->rows == NULL)
        mprof_cursor_fail(c, MPROF_E_NOMEM);
    for (uint64_t i = 0; i < all && c->err == MPROF_E_OK; i++) {
        const uint8_t *end =
            start < size ? memchr(text + start, MPROF_DATA_ACCESS_SEPARATOR,
                                  size - start)
                         : NULL;
        const size_t stop = end != NULL ? (size_t)(end - text) : size;

        if ((end == NULL) != (i + 1 == all))
            mprof_cursor_fail(c, MPROF_E_VALUE);
        else if (!mpdata_data_access_string(access, text + start, stop - start,
                                            &strings->rows[i]))
            mprof_cursor_fail(c, MPROF_E_NOMEM);
        start = stop + 1;
    }
}

/* What zlib made `packed` bytes of; malloc'd, or NULL with the cursor failed.
 */
static uint8_t *inflate_text(struct mprof_cursor *c, const uint8_t *text,
                             uint64_t packed, uint64_t size)
{
    uLongf out = (uLongf)size;
    uint8_t *unpacked = NULL;

    if (size / INFLATE_RATIO_MAX > packed) {
        mprof_cursor_fail(c, MPROF_E_CODEC);
        return NULL;
    }
    unpacked = malloc(size != 0 ? (size_t)size : 1);
    if (unpacked == NULL) {
        mprof_cursor_fail(c, MPROF_E_NOMEM);
    } else if (uncompress(unpacked, &out, text, (uLong)packed) != Z_OK ||
               out != size) {
        mprof_cursor_fail(c, MPROF_E_CODEC);
        free(unpacked);
        return NULL;
    }
    return unpacked;
}

/* u64 bytes, ULEB size, ULEB compressed size or 0, bytes, pad to 8. */
static void read_blob(struct mprof_cursor *c, struct mpdata_data_access *access,
                      struct strings *strings)
{
    const uint64_t bytes = mprof_cursor_u64(c);
    const size_t start = c->pos;
    const uint8_t *blob = mprof_cursor_bytes(c, bytes);
    struct mprof_cursor in = mprof_cursor_over(
        blob, blob != NULL ? (size_t)bytes : 0, start, SECTION);
    uint8_t *unpacked = NULL;
    const uint8_t *text;
    uint64_t size;
    uint64_t packed;

    if (c->err != MPROF_E_OK ||
        (bytes == 0 && strings->count == 0 && strings->cold_count == 0))
        return;
    size = mprof_cursor_uleb(&in);
    packed = mprof_cursor_uleb(&in);
    text = mprof_cursor_bytes(&in, packed != 0 ? packed : size);
    if (in.err != MPROF_E_OK)
        mprof_cursor_fail(c, in.err);
    else if (packed != 0)
        text = unpacked = inflate_text(c, text, packed, size);
    if (c->err == MPROF_E_OK)
        split(c, access, text, (size_t)size, strings);
    free(unpacked);
    if (c->err == MPROF_E_OK)
        mprof_cursor_bytes(c, mprof_round_up(bytes, 8) - bytes);
}

static void read_locations(struct mprof_cursor *c,
                           struct mpdata_data_access *access,
                           const struct strings *strings, uint32_t record)
{
    const uint64_t count = mprof_cursor_u64(c);

    if (!mprof_cursor_can_hold(c, count, 12))
        return;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t file = mprof_cursor_u64(c);
        const uint32_t line = mprof_cursor_u32(c);

        if (file >= strings->count)
            mprof_cursor_fail(c, MPROF_E_REFERENCE);
        else if (!mpdata_data_access_location(access, record,
                                              strings->rows[file], line))
            mprof_cursor_fail(c, MPROF_E_NOMEM);
        if (c->err != MPROF_E_OK)
            return;
    }
}

static void read_record(struct mprof_cursor *c,
                        struct mpdata_data_access *access,
                        const struct strings *strings)
{
    struct mpdata_data_id data = {.id = mprof_cursor_u64(c)};
    uint64_t count;
    uint32_t row = 0;

    data.is_literal = mprof_cursor_u8(c) != 0;
    count = mprof_cursor_u64(c);
    if (c->err != MPROF_E_OK)
        return;
    if (!data.is_literal) {
        if (data.id >= strings->count) {
            mprof_cursor_fail(c, MPROF_E_REFERENCE);
            return;
        }
        data.id = strings->rows[data.id];
    }
    if (mpdata_data_access_record(access, data, count, &row))
        read_locations(c, access, strings, row);
    else
        mprof_cursor_fail(c, MPROF_E_NOMEM);
}

static void read_cold(struct mprof_cursor *c, struct mpdata_data_access *access,
                      const struct strings *strings)
{
    const uint64_t hashes = mprof_cursor_u64(c);
    bool is_done = true;

    for (uint64_t i = 0; i < strings->cold_count && is_done; i++)
        is_done = mpdata_data_access_cold(
            access,
            (struct mpdata_data_id){.id = strings->rows[strings->count + i]});
    mprof_cursor_can_hold(c, hashes, 8);
    for (uint64_t i = 0; i < hashes && is_done && c->err == MPROF_E_OK; i++)
        is_done = mpdata_data_access_cold(
            access, (struct mpdata_data_id){.id = mprof_cursor_u64(c),
                                            .is_literal = true});
    if (!is_done)
        mprof_cursor_fail(c, MPROF_E_NOMEM);
}

static void read_all(struct mprof_cursor *c, struct mpdata_data_access *access)
{
    struct strings strings = {.count = mprof_cursor_u64(c)};
    uint64_t records;

    strings.cold_count = mprof_cursor_u64(c);
    read_blob(c, access, &strings);
    if (c->err == MPROF_E_OK)
        read_cold(c, access, &strings);
    records = mprof_cursor_u64(c);
    mprof_cursor_can_hold(c, records, 25);
    for (uint64_t i = 0; i < records && c->err == MPROF_E_OK; i++)
        read_record(c, access, &strings);
    free(strings.rows);
}

enum mprof_err mpdata_llvm_data_access_read(const void *data, size_t size,
                                            struct mpdata_data_access *access,
                                            struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, SECTION);
    struct mprof_index_llvm header;
    struct mprof_index_llvm_memprof memprof;

    mprof_index_llvm_read(&header, &c);
    if (!mprof_index_llvm_has_memprof(&header))
        return mprof_cursor_status(&c, diag);
    mprof_index_llvm_read_memprof(&memprof, &c, header.memprof_off);
    if (memprof.data_access_off != 0) {
        mprof_cursor_seek(&c, memprof.data_access_off);
        read_all(&c, access);
    }
    return mprof_cursor_status(&c, diag);
}

/* -- writing ----------------------------------------------------------------- */

static void write_uleb(struct mprof_buf *out, uint64_t value)
{
    do {
        mprof_buf_uint(out, (value & 0x7f) | (value > 0x7f ? 0x80 : 0), 1);
        value >>= 7;
    } while (value != 0);
}

/* numbers[row] = number + 1 of a string that records use, ascending with the
 * row. Returns how many. */
static uint64_t number_strings(const struct mpdata_data_access *a,
                               uint32_t *numbers)
{
    const struct mpdata_data_record *records = a->records.rows.data;
    const struct mpdata_data_location *locations = a->locations.rows.data;
    uint64_t count = 0;

    for (uint32_t i = 0; i < a->records.rows.count; i++) {
        if (!records[i].data.is_literal)
            numbers[records[i].data.id] = 1;
    }
    for (uint32_t i = 0; i < a->locations.rows.count; i++)
        numbers[locations[i].file] = 1;
    for (uint32_t i = 0; i < a->strings.rows.count; i++) {
        if (numbers[i] != 0)
            numbers[i] = (uint32_t)++count;
    }
    return count;
}

/* The first may be empty, so how much stands there does not say which it is. */
static void join(const struct mpdata_str *s, struct mprof_buf *out,
                 bool *is_first)
{
    if (!*is_first)
        mprof_buf_uint(out, MPROF_DATA_ACCESS_SEPARATOR, 1);
    *is_first = false;
    mprof_buf_bytes(out, s->bytes, s->size);
}

/* All strings, stored as they are: LLVM reads both kinds. */
static void write_blob(const struct mpdata_data_access *a,
                       const uint32_t *numbers, struct mprof_buf *out)
{
    const struct mpdata_str *strings = a->strings.rows.data;
    const struct mpdata_data_id *cold = a->cold.rows.data;
    const size_t length = out->size;
    uint64_t size = 0;
    bool is_first = true;

    for (uint32_t i = 0; i < a->strings.rows.count; i++)
        size += numbers[i] != 0 ? strings[i].size + 1 : 0;
    for (uint32_t i = 0; i < a->cold.rows.count; i++)
        size += !cold[i].is_literal ? strings[cold[i].id].size + 1 : 0;
    mprof_buf_u64(out, 0);
    if (size == 0)
        return;
    write_uleb(out, size - 1);
    write_uleb(out, 0);
    for (uint32_t i = 0; i < a->strings.rows.count; i++) {
        if (numbers[i] != 0)
            join(&strings[i], out, &is_first);
    }
    for (uint32_t i = 0; i < a->cold.rows.count; i++) {
        if (!cold[i].is_literal)
            join(&strings[cold[i].id], out, &is_first);
    }
    mprof_buf_patch(out, length, out->size - length - 8, 8);
    while ((out->size - length) % 8 != 0 && !out->failed)
        mprof_buf_uint(out, 0, 1);
}

static void write_records(const struct mpdata_data_access *a,
                          const uint32_t *numbers, struct mprof_buf *out)
{
    const struct mpdata_data_record *records = a->records.rows.data;
    const struct mpdata_data_location *locations = a->locations.rows.data;
    uint32_t next = 0;

    mprof_buf_u64(out, a->records.rows.count);
    for (uint32_t i = 0; i < a->records.rows.count; i++) {
        const struct mpdata_data_id *data = &records[i].data;
        uint32_t end = next;

        while (end < a->locations.rows.count && locations[end].record == i)
            end++;
        mprof_buf_u64(out, data->is_literal ? data->id : numbers[data->id] - 1);
        mprof_buf_uint(out, data->is_literal, 1);
        mprof_buf_u64(out, records[i].count);
        mprof_buf_u64(out, end - next);
        for (; next < end; next++) {
            mprof_buf_u64(out, numbers[locations[next].file] - 1);
            mprof_buf_u32(out, locations[next].line);
        }
    }
}

enum mprof_err
mpdata_llvm_data_access_write(const struct mpdata_data_access *canonical,
                              struct mprof_buf *out)
{
    const struct mpdata_data_access *a = canonical;
    const struct mpdata_data_id *cold = a->cold.rows.data;
    uint32_t *numbers =
        mpdata_vec_array(a->strings.rows.count, sizeof(*numbers));
    uint64_t symbols = 0;

    if (numbers == NULL)
        return MPROF_E_NOMEM;
    mprof_buf_u64(out, number_strings(a, numbers));
    for (uint32_t i = 0; i < a->cold.rows.count; i++)
        symbols += !cold[i].is_literal;
    mprof_buf_u64(out, symbols);
    write_blob(a, numbers, out);
    mprof_buf_u64(out, a->cold.rows.count - symbols);
    for (uint32_t i = 0; i < a->cold.rows.count; i++) {
        if (cold[i].is_literal)
            mprof_buf_u64(out, cold[i].id);
    }
    write_records(a, numbers, out);
    free(numbers);
    return out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}
