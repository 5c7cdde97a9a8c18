/* protobuf_test.c -- tests messages of Protocol Buffers: what is written can be
 * read, and an invalid message is refused with its position.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/protobuf.h"
#include "profdata/base/sink.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static struct mprof_cursor over(const void *bytes, size_t size)
{
    return mprof_cursor_over(bytes, size, 100, "message");
}

/* The bytes from the format's own documentation: field 1 is 150, field 2
 * "testing". */
static void test_written(void **state)
{
    static const uint8_t expected[] = {0x08, 0x96, 0x01, 0x12, 0x07, 't',
                                       'e',  's',  't',  'i',  'n',  'g'};
    struct mprof_buf out;

    (void)state;
    mpdata_heapbuf_init(&out);
    mpdata_protobuf_put_number(&out, 1, 150);
    mpdata_protobuf_put_number(&out, 7, 0);
    mpdata_protobuf_put_bytes(&out, 2, "testing", 7);
    assert_int_equal(out.size, sizeof(expected));
    assert_memory_equal(out.data, expected, sizeof(expected));
    mpdata_heapbuf_fini(&out);
}

static void test_read(void **state)
{
    /* 1: 2^64-1; 2: "ab"; 16: 8 bytes; 17: 4 bytes */
    static const uint8_t bytes[] = {
        0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
        0x12, 2,    'a',  'b',  0x81, 0x01, 1,    0,    0,    0,    0,
        0,    0,    0,    0x8d, 0x01, 2,    0,    0,    0};
    struct mprof_cursor message = over(bytes, sizeof(bytes));
    struct mpdata_protobuf_field f;

    (void)state;
    assert_true(mpdata_protobuf_next(&message, &f));
    assert_int_equal(f.number, 1);
    assert_false(f.has_bytes);
    assert_true(f.value == UINT64_MAX);
    assert_true(mpdata_protobuf_next(&message, &f));
    assert_int_equal(f.number, 2);
    assert_true(f.has_bytes);
    assert_int_equal(f.bytes.size, 2);
    assert_memory_equal(f.bytes.data, "ab", 2);
    assert_int_equal(f.bytes.file_off, 113);
    assert_true(mpdata_protobuf_next(&message, &f));
    assert_int_equal(f.number, 16);
    assert_int_equal(f.value, 1);
    assert_true(mpdata_protobuf_next(&message, &f));
    assert_int_equal(f.number, 17);
    assert_int_equal(f.value, 2);
    assert_false(mpdata_protobuf_next(&message, &f));
    assert_int_equal(message.err, MPROF_E_OK);
}

/* Repeated numbers, packed and one by one. */
static void test_repeated(void **state)
{
    static const uint8_t bytes[] = {0x0a, 3, 1, 0x80, 0x01, 0x08, 9};
    static const uint64_t expected[] = {1, 128, 9};
    struct mprof_cursor message = over(bytes, sizeof(bytes));
    struct mpdata_protobuf_field f;
    uint64_t number;
    size_t n = 0;

    (void)state;
    while (mpdata_protobuf_next(&message, &f)) {
        while (mpdata_protobuf_next_number(&f, &number))
            assert_int_equal(number, expected[n++]);
        assert_int_equal(f.bytes.err, MPROF_E_OK);
    }
    assert_int_equal(n, 3);
}

static void expect_refused(const char *bytes, size_t size, enum mprof_err err)
{
    struct mprof_cursor message = over(bytes, size);
    struct mpdata_protobuf_field f;

    while (mpdata_protobuf_next(&message, &f))
        ;
    assert_int_equal(message.err, err);
}

#define REFUSED(bytes, err) expect_refused(bytes, sizeof(bytes) - 1, err)

static void test_refused(void **state)
{
    (void)state;
    REFUSED("\x08", MPROF_E_TRUNCATED);
    REFUSED("\x08\x80", MPROF_E_TRUNCATED);
    REFUSED("\x12\x03"
            "ab",
            MPROF_E_TRUNCATED);
    REFUSED("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", MPROF_E_TRUNCATED);
    REFUSED("\x09\x01\x02\x03", MPROF_E_TRUNCATED);
    REFUSED("\x0d\x01", MPROF_E_TRUNCATED);
    /* Groups, which are obsolete; field 0; a varint that is too long. */
    REFUSED("\x0b\x0c", MPROF_E_VALUE);
    REFUSED("\x00\x01", MPROF_E_VALUE);
    REFUSED("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", MPROF_E_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written), cmocka_unit_test(test_read),
        cmocka_unit_test(test_repeated), cmocka_unit_test(test_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
