/* chash_test.c -- LLVM's on-disk chained hash table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/chash.h"
#include "profdata/base/sink.h"
#include "shared/le.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX 1000

/* Item i has the key 7 * i and i % 5 bytes of data. */
static uint64_t hash_item(const void *context, uint64_t i)
{
    (void)context;
    return 7 * i;
}

static void write_item(const void *context, uint64_t i, struct mprof_buf *out)
{
    (void)context;
    mprof_buf_u64(out, 8);
    mprof_buf_u64(out, i % 5);
    mprof_buf_u64(out, 7 * i);
    for (uint64_t j = 0; j < i % 5; j++)
        mprof_buf_uint(out, i, 1);
}

static void write_items(struct mprof_buf *buf, uint64_t count,
                        uint64_t *table_off)
{
    const struct mpdata_chash_source source = {
        .count = count, .hash = hash_item, .write = write_item};

    mpdata_heapbuf_init(buf);
    mprof_buf_u64(buf, 0); /* a bucket at offset 0 would mean no bucket */
    assert_int_equal(mpdata_chash_write(&source, buf, table_off), MPROF_E_OK);
}

static void bucket_counts_are_llvms(void **state)
{
    static const uint64_t expected[][2] = {{0, 1},   {1, 1},   {2, 1},
                                           {3, 8},   {5, 8},   {6, 16},
                                           {11, 16}, {12, 32}, {1000, 2048}};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(expected); i++) {
        struct mprof_buf buf;
        uint64_t off;

        write_items(&buf, expected[i][0], &off);
        assert_int_equal(off % 8, 0);
        assert_int_equal(mprof_le_load64(buf.data + off), expected[i][1]);
        assert_int_equal(mprof_le_load64(buf.data + off + 8), expected[i][0]);
        assert_int_equal(buf.size, off + 16 + 8 * expected[i][1]);
        mpdata_heapbuf_fini(&buf);
    }
}

static void a_small_table_has_these_bytes(void **state)
{
    static const uint8_t expected[] = {
        0, 0, 0, 0, 0, 0, 0, 0, /* the caller's */
        2, 0,                   /* items of bucket 0 */
        0, 0, 0, 0, 0, 0, 0, 0, /* hash */
        8, 0, 0, 0, 0, 0, 0, 0, /* key bytes */
        0, 0, 0, 0, 0, 0, 0, 0, /* data bytes */
        0, 0, 0, 0, 0, 0, 0, 0, /* key */
        7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1,
        0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, /* data */
        0, 0, 0, 0, 0,                                  /* padding */
        1, 0, 0, 0, 0, 0, 0, 0,                         /* buckets */
        2, 0, 0, 0, 0, 0, 0, 0,                         /* entries */
        8, 0, 0, 0, 0, 0, 0, 0};                        /* offset of bucket 0 */
    struct mprof_buf buf;
    uint64_t off;

    (void)state;
    write_items(&buf, 2, &off);
    assert_int_equal(buf.size, sizeof(expected));
    assert_memory_equal(buf.data, expected, sizeof(expected));
    mpdata_heapbuf_fini(&buf);
}

static void every_key_is_found_and_no_other(void **state)
{
    struct mprof_buf buf;
    struct mpdata_chash table;
    struct mpdata_chash_item item;
    uint64_t off;
    bool found;

    (void)state;
    write_items(&buf, ITEMS_MAX, &off);
    assert_int_equal(
        mpdata_chash_open(&table, buf.data, buf.size, off, 0, 0, "t", NULL),
        MPROF_E_OK);
    for (uint64_t key = 0; key < 7 * ITEMS_MAX; key++) {
        uint8_t bytes[8];

        mprof_le_store(bytes, key, 8);
        assert_int_equal(
            mpdata_chash_find(&table, key, bytes, 8, &found, &item, NULL),
            MPROF_E_OK);
        assert_int_equal(found, key % 7 == 0);
        if (found) {
            assert_int_equal(item.data_size, key / 7 % 5);
            for (size_t j = 0; j < item.data_size; j++)
                assert_int_equal(item.data[j], key / 7 % 256);
        }
    }
    mpdata_heapbuf_fini(&buf);
}

static enum mprof_err count_item(void *context,
                                 const struct mpdata_chash_item *item,
                                 struct mprof_diag *diag)
{
    uint64_t *sum = context;

    (void)diag;
    for (size_t i = 0; i < item->key_size; i++)
        sum[1] += item->key[i];
    for (size_t i = 0; i < item->data_size; i++)
        sum[1] += item->data[i];
    sum[0]++;
    return MPROF_E_OK;
}

static void a_visit_sees_each_item_once(void **state)
{
    struct mprof_buf buf;
    struct mpdata_chash table;
    uint64_t sum[2] = {0, 0};
    uint64_t off;

    (void)state;
    write_items(&buf, ITEMS_MAX, &off);
    assert_int_equal(
        mpdata_chash_open(&table, buf.data, buf.size, off, 0, 0, "t", NULL),
        MPROF_E_OK);
    assert_int_equal(mpdata_chash_visit(&table, count_item, sum, NULL),
                     MPROF_E_OK);
    assert_int_equal(sum[0], ITEMS_MAX);
    mpdata_heapbuf_fini(&buf);
}

static void damage_never_leads_outside(void **state)
{
    struct mprof_buf buf;
    uint64_t off;

    (void)state;
    write_items(&buf, 9, &off);
    for (size_t bit = 0; bit < 8 * buf.size; bit++) {
        struct mpdata_chash table;
        struct mpdata_chash_item item;
        uint64_t sum[2] = {0, 0};
        bool found;

        buf.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (mpdata_chash_open(&table, buf.data, buf.size, off, 0, 0, "t",
                              NULL) == MPROF_E_OK) {
            if (mpdata_chash_visit(&table, count_item, sum, NULL) == MPROF_E_OK)
                assert_true(sum[0] <= 9 * 2);
            for (uint64_t key = 0; key < 63; key += 7) {
                uint8_t bytes[8];

                mprof_le_store(bytes, key, 8);
                if (mpdata_chash_find(&table, key, bytes, 8, &found, &item,
                                      NULL) == MPROF_E_OK &&
                    found)
                    count_item(sum, &item, NULL);
            }
        }
        buf.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t size = 0; size < buf.size; size++) {
        struct mpdata_chash table;
        uint8_t *copy = malloc(size + 1);

        memcpy(copy, buf.data, size);
        assert_int_not_equal(
            mpdata_chash_open(&table, copy, size, off, 0, 0, "t", NULL),
            MPROF_E_OK);
        free(copy);
    }
    mpdata_heapbuf_fini(&buf);
}

static uint64_t hash_same(const void *context, uint64_t i)
{
    (void)context;
    (void)i;
    return 1;
}

static void a_bucket_that_overflows_is_refused(void **state)
{
    const struct mpdata_chash_source source = {
        .count = 65536, .hash = hash_same, .write = write_item};
    struct mprof_buf buf;
    uint64_t off;

    (void)state;
    mpdata_heapbuf_init(&buf);
    assert_int_equal(mpdata_chash_write(&source, &buf, &off), MPROF_E_LIMIT);
    mpdata_heapbuf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bucket_counts_are_llvms),
        cmocka_unit_test(a_small_table_has_these_bytes),
        cmocka_unit_test(every_key_is_found_and_no_other),
        cmocka_unit_test(a_visit_sees_each_item_once),
        cmocka_unit_test(damage_never_leads_outside),
        cmocka_unit_test(a_bucket_that_overflows_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
