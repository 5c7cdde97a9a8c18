/* table_test.c -- tests tables that are stored by column.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/table_write.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t values[][5] = {
    {7, 7, 7, 7, 7},                               /* constant */
    {0, 1, 255, 3, 4},                             /* one byte */
    {1000000, 1000001, 1000255, 1000000, 1000002}, /* base, one byte */
    {0, 65536, 1, 2, 3},                           /* four bytes */
    {UINT64_MAX, 0, 1, 2, UINT64_MAX - 1},         /* eight bytes */
};
static const uint32_t tags[] = {1, 2, 3, 10, 20, 30};

static uint64_t get_value(const void *context, uint32_t tag, uint64_t row)
{
    (void)context;
    switch (tag) {
    case 1:
        return values[0][row];
    case 2:
        return values[1][row];
    case 3:
        return values[2][row];
    case 20:
        return values[3][row];
    default:
        return values[4][row];
    }
}

static void write_sample(struct mprof_buf *buf)
{
    const struct mprof_table_source source = {
        .rows = 5,
        .tags = tags,
        .tag_count = 6,
        .get = get_value,
        .blob_tag = 10,
        .blob = {.data = (const uint8_t *)"hello", .size = 5}};

    mpdata_heapbuf_init(buf);
    write_table(buf, &source);
    assert_false(buf->failed);
}

static void a_table_reads_back_as_written(void **state)
{
    static const uint32_t widths[] = {0, 1, 1, 4, 8};
    static const uint32_t numbers[] = {1, 2, 3, 20, 30};
    struct mprof_buf buf;
    struct mprof_table table;
    struct mprof_blob blob;

    (void)state;
    write_sample(&buf);
    assert_int_equal(mprof_table_open(&table, buf.data, buf.size, 0, "t", NULL),
                     MPROF_E_OK);
    assert_int_equal(table.rows, 5);
    for (size_t i = 0; i < 5; i++) {
        const struct mprof_column c = mprof_table_column(&table, numbers[i]);

        assert_int_equal(c.width, widths[i]);
        for (uint64_t row = 0; row < 5; row++)
            assert_true(mprof_column_get(&c, row) == values[i][row]);
    }
    blob = mprof_table_blob(&table, 10);
    assert_int_equal(blob.size, 5);
    assert_memory_equal(blob.data, "hello", 5);
    mpdata_heapbuf_fini(&buf);
}

static void get_row(const void *context, uint64_t row, uint64_t *all)
{
    (void)context;
    for (size_t i = 0; i < 5; i++)
        all[i] = values[i][row];
}

static void append(void *to, const void *data, size_t n)
{
    mprof_buf_bytes(to, data, n);
}

/* Row by row, with as many columns at a time as fit: the same bytes. */
static void rows_make_the_same_table(void **state)
{
    static const uint32_t numbers[] = {1, 2, 3, 20, 30};
    uint8_t scratch[5 * 5 * 8];
    struct mprof_table_source source = {
        .rows = 5, .tags = numbers, .tag_count = 5, .get = get_value};
    struct mprof_range ranges[5];
    struct mprof_buf by_column;

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        ranges[i] = (struct mprof_range){.low = UINT64_MAX};
        for (size_t row = 0; row < 5; row++) {
            ranges[i].low = mprof_min_u64(ranges[i].low, values[i][row]);
            ranges[i].high = mprof_max_u64(ranges[i].high, values[i][row]);
        }
    }
    mpdata_heapbuf_init(&by_column);
    write_table(&by_column, &source);
    source.get = NULL;
    source.get_row = get_row;
    source.scratch = scratch;
    for (size_t room = 5 * 8; room <= sizeof(scratch); room += 5) {
        struct mprof_buf by_row;

        mpdata_heapbuf_init(&by_row);
        source.scratch_bytes = room;
        const size_t bytes = mprof_table_head_of(&by_row, &source, ranges);
        mprof_table_data(by_row.data, &source, append, &by_row);
        assert_int_equal(by_row.size, bytes);
        assert_int_equal(by_row.size, by_column.size);
        assert_memory_equal(by_row.data, by_column.data, by_row.size);
        mpdata_heapbuf_fini(&by_row);
    }
    mpdata_heapbuf_fini(&by_column);
}

static uint64_t get_cube(const void *context, uint32_t tag, uint64_t row)
{
    (void)context;
    return tag * row * row * row;
}

/* Data is written in pieces of some KiB: the last one is not full. */
static void a_long_table_reads_back_as_written(void **state)
{
    static const uint32_t long_tags[] = {1, 2};
    const struct mprof_table_source source = {
        .rows = 3333, .tags = long_tags, .tag_count = 2, .get = get_cube};
    struct mprof_buf buf;
    struct mprof_table table;

    (void)state;
    mpdata_heapbuf_init(&buf);
    write_table(&buf, &source);
    assert_false(buf.failed);
    assert_int_equal(mprof_table_open(&table, buf.data, buf.size, 0, "t", NULL),
                     MPROF_E_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const struct mprof_column c = mprof_table_column(&table, long_tags[i]);

        for (uint64_t row = 0; row < source.rows; row++)
            assert_true(mprof_column_get(&c, row) ==
                        get_cube(NULL, long_tags[i], row));
    }
    mpdata_heapbuf_fini(&buf);
}

static void a_column_that_is_not_there_is_zeros(void **state)
{
    struct mprof_buf buf;
    struct mprof_table table;
    struct mprof_column c;

    (void)state;
    write_sample(&buf);
    assert_int_equal(mprof_table_open(&table, buf.data, buf.size, 0, "t", NULL),
                     MPROF_E_OK);
    c = mprof_table_column(&table, 99);
    assert_int_equal(mprof_column_get(&c, 4), 0);
    assert_false(mprof_table_has_column(&table, 99));
    assert_true(mprof_table_has_column(&table, 20));
    /* A number is not a blob, and a blob is not a number. */
    assert_int_equal(mprof_table_blob(&table, 20).size, 0);
    c = mprof_table_column(&table, 10);
    assert_int_equal(mprof_column_get(&c, 0), 0);
    mpdata_heapbuf_fini(&buf);
}

static uint64_t get_constant(const void *context, uint32_t tag, uint64_t row)
{
    (void)context;
    (void)row;
    return tag;
}

static void rows_cost_bytes(void **state)
{
    static const uint32_t two_tags[] = {4, 5};
    const struct mprof_table_source source = {
        .rows = 1000, .tags = two_tags, .tag_count = 2, .get = get_constant};
    struct mprof_buf buf;
    struct mprof_table table;
    struct mprof_column c;

    (void)state;
    mpdata_heapbuf_init(&buf);
    write_table(&buf, &source);
    assert_true(buf.size > 1000);
    assert_int_equal(mprof_table_open(&table, buf.data, buf.size, 0, "t", NULL),
                     MPROF_E_OK);
    c = mprof_table_column(&table, 5);
    assert_int_equal(mprof_column_get(&c, 999), 5);
    c = mprof_table_column(&table, 4);
    assert_int_equal(mprof_column_get(&c, 999), 4);
    mpdata_heapbuf_fini(&buf);

    /* Two constant columns and a claim of many rows. */
    mpdata_heapbuf_init(&buf);
    mprof_buf_u64(&buf, UINT64_C(1) << 60);
    mprof_buf_u32(&buf, 1);
    mprof_buf_u32(&buf, 0);
    mprof_buf_u32(&buf, 1); /* tag */
    mprof_buf_u32(&buf, 0); /* width */
    mprof_buf_u64(&buf, 9); /* base */
    mprof_buf_u64(&buf, 48);
    mprof_buf_u64(&buf, 0);
    assert_int_equal(mprof_table_open(&table, buf.data, buf.size, 0, "t", NULL),
                     MPROF_E_VALUE);
    mpdata_heapbuf_fini(&buf);
}

static void every_truncation_is_an_error(void **state)
{
    struct mprof_buf buf;

    (void)state;
    write_sample(&buf);
    for (size_t size = 0; size < buf.size; size++) {
        /* A copy of the exact size, so that ASan finds a read past its end. */
        uint8_t *copy = malloc(size + 1);
        struct mprof_table table;

        memcpy(copy, buf.data, size);
        assert_int_not_equal(mprof_table_open(&table, copy, size, 0, "t", NULL),
                             MPROF_E_OK);
        free(copy);
    }
    mpdata_heapbuf_fini(&buf);
}

static void a_flipped_bit_never_leads_outside(void **state)
{
    struct mprof_buf buf;
    uint64_t sum = 0;

    (void)state;
    write_sample(&buf);
    for (size_t bit = 0; bit < 8 * buf.size; bit++) {
        struct mprof_table table;

        buf.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (mprof_table_open(&table, buf.data, buf.size, 0, "t", NULL) ==
            MPROF_E_OK) {
            for (uint32_t i = 0; i < table.columns; i++) {
                const struct mprof_column c =
                    mprof_table_column(&table, mprof_table_tag(&table, i));

                for (uint64_t row = 0; row < table.rows; row++)
                    sum += mprof_column_get(&c, row);
            }
        }
        buf.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(sum != 0);
    mpdata_heapbuf_fini(&buf);
}

static void an_empty_table_is_a_table(void **state)
{
    const struct mprof_table_source source = {
        .rows = 0, .tags = tags, .tag_count = 2, .get = get_value};
    struct mprof_buf buf;
    struct mprof_table table;

    (void)state;
    mpdata_heapbuf_init(&buf);
    write_table(&buf, &source);
    assert_int_equal(mprof_table_open(&table, buf.data, buf.size, 0, "t", NULL),
                     MPROF_E_OK);
    assert_int_equal(table.rows, 0);
    mpdata_heapbuf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_reads_back_as_written),
        cmocka_unit_test(rows_make_the_same_table),
        cmocka_unit_test(a_long_table_reads_back_as_written),
        cmocka_unit_test(a_column_that_is_not_there_is_zeros),
        cmocka_unit_test(rows_cost_bytes),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(a_flipped_bit_never_leads_outside),
        cmocka_unit_test(an_empty_table_is_a_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
