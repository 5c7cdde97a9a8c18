/* buf_test.c -- tests the growing output buffer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/cmocka_all.h"

#include "profdata/base/sink.h"

static void a_buffer_keeps_what_was_written(void **state)
{
    struct mprof_buf buf;

    (void)state;
    mpdata_heapbuf_init(&buf);
    mprof_buf_uint(&buf, 0x1234, 2);
    mprof_buf_align(&buf, 8);
    mprof_buf_u64(&buf, 7);
    mprof_buf_bytes(&buf, "xyz", 3);
    mprof_buf_patch(&buf, 0, 0x55, 1);
    assert_int_equal(buf.size, 19);
    assert_memory_equal(buf.data, "\x55\x12\0\0\0\0\0\0\7\0\0\0\0\0\0\0xyz",
                        19);
    for (int i = 0; i < 10000; i++)
        mprof_buf_u32(&buf, 1);
    assert_int_equal(buf.size, 40019);
    assert_memory_equal(buf.data + 16, "xyz\1", 4);
    mpdata_heapbuf_fini(&buf);
}

static bool no_growth(struct mprof_buf *buf, size_t capacity)
{
    (void)buf;
    (void)capacity;
    return false;
}

static void a_failed_buffer_takes_nothing_more(void **state)
{
    uint8_t bytes[4];
    struct mprof_buf buf = {.data = bytes, .capacity = 4, .grow = no_growth};

    (void)state;
    mprof_buf_u32(&buf, 1);
    mprof_buf_uint(&buf, 1, 1);
    assert_true(buf.failed);
    assert_int_equal(buf.size, 4);
    assert_null(mprof_buf_extend(&buf, 0));
    mprof_buf_patch(&buf, 1000, 1, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_keeps_what_was_written),
        cmocka_unit_test(a_failed_buffer_takes_nothing_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
