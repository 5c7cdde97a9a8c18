/* radix_test.c -- the call stack array of LLVM's memprof section.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/llvm/radix.h"
#include "shared/le.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

/* Stacks, root first: 1 2 (node 1), 1 2 3 (node 2), 1 4 (node 3), 1 (no stack),
 * 5 (node 4). */
static const uint32_t parents[] = {0, 1, 2, 1, 0};
static const uint32_t frames[] = {1, 2, 3, 4, 5};
static const uint8_t is_stack[] = {0, 1, 1, 1, 1};
static const struct mpdata_radix_forest forest = {.parents = {parents, 1},
                                                  .frames = {frames, 1},
                                                  .is_stack = is_stack,
                                                  .count = 5,
                                                  .frame_count = 6};

static void the_array_is_llvms(void **state)
{
    /* The array that LLVM's CallStackRadixTreeBuilder makes of stacks in this
     * order. */
    static const int32_t expected[] = {2, -3, 3, 3, 2, -3, 2, 4, 1, 1, 5};
    struct mprof_buf buf;
    uint32_t ids[5];

    (void)state;
    mpdata_heapbuf_init(&buf);
    assert_int_equal(mpdata_radix_write(&forest, &buf, ids), MPROF_E_OK);
    assert_int_equal(buf.size, sizeof(expected));
    for (size_t i = 0; i < MPROF_ARRAY_LEN(expected); i++)
        assert_int_equal((int32_t)mprof_le_load32(buf.data + 4 * i),
                         expected[i]);
    assert_int_equal(ids[1], 0);
    assert_int_equal(ids[2], 2);
    assert_int_equal(ids[3], 6);
    assert_int_equal(ids[4], 9);
    mpdata_heapbuf_fini(&buf);
}

/* Nodes of a test: a number computed from the frames, root first. */
static uint32_t make_number(void *context, uint32_t parent, uint32_t frame)
{
    uint32_t *calls = context;

    if (calls != NULL)
        ++*calls;
    return 10 * parent + frame;
}

static void stacks_read_back_and_shared_parts_are_made_once(void **state)
{
    static const uint32_t expected[] = {0, 12, 123, 14, 5};
    struct mprof_buf buf;
    struct mpdata_radix radix;
    uint32_t calls = 0;
    uint32_t ids[5];

    (void)state;
    mpdata_heapbuf_init(&buf);
    assert_int_equal(mpdata_radix_write(&forest, &buf, ids), MPROF_E_OK);
    assert_int_equal(mpdata_radix_open(&radix, buf.data, buf.size, 0, "t"),
                     MPROF_E_OK);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 1; i < 5; i++) {
            uint32_t node = 0;

            assert_int_equal(mpdata_radix_stack(&radix, ids[i], make_number,
                                                &calls, &node, NULL),
                             MPROF_E_OK);
            assert_int_equal(node, expected[i]);
        }
    }
    assert_int_equal(calls, 5);
    mpdata_radix_fini(&radix);
    mpdata_heapbuf_fini(&buf);
}

static void a_forest_without_stacks_is_empty(void **state)
{
    const struct mpdata_radix_forest none = {.count = 0};
    struct mprof_buf buf;

    (void)state;
    mpdata_heapbuf_init(&buf);
    assert_int_equal(mpdata_radix_write(&none, &buf, NULL), MPROF_E_OK);
    assert_int_equal(buf.size, 0);
    mpdata_heapbuf_fini(&buf);
}

static enum mprof_err read_one(const int32_t *elements, size_t count,
                               uint32_t id)
{
    uint8_t *bytes = malloc(4 * count);
    struct mpdata_radix radix;
    uint32_t node;
    enum mprof_err err;

    for (size_t i = 0; i < count; i++)
        mprof_le_store(bytes + 4 * i, (uint32_t)elements[i], 4);
    assert_int_equal(mpdata_radix_open(&radix, bytes, 4 * count, 0, "t"),
                     MPROF_E_OK);
    err = mpdata_radix_stack(&radix, id, make_number, NULL, &node, NULL);
    if (err == MPROF_E_OK)
        err = mpdata_radix_stack(&radix, 0, make_number, NULL, &node, NULL);
    mpdata_radix_fini(&radix);
    free(bytes);
    return err;
}

static void hostile_arrays_are_refused(void **state)
{
    (void)state;
    assert_int_equal(read_one((const int32_t[]){1, 5}, 2, 0), MPROF_E_OK);
    assert_int_equal(read_one((const int32_t[]){1, 5}, 2, 2),
                     MPROF_E_REFERENCE);
    assert_int_equal(read_one((const int32_t[]){1, 5}, 2, UINT32_MAX),
                     MPROF_E_REFERENCE);
    /* Too long, a jump past the end, a jump to a jump, the longest jump. */
    assert_int_equal(read_one((const int32_t[]){9, 5}, 2, 0), MPROF_E_VALUE);
    assert_int_equal(read_one((const int32_t[]){1, -9}, 2, 0), MPROF_E_VALUE);
    assert_int_equal(read_one((const int32_t[]){1, -1, -1, 5}, 4, 0),
                     MPROF_E_VALUE);
    assert_int_equal(read_one((const int32_t[]){1, INT32_MIN}, 2, 0),
                     MPROF_E_VALUE);
    /* One element at two distances from the root. */
    assert_int_equal(read_one((const int32_t[]){1, -2, 2, 5, 6}, 5, 2),
                     MPROF_E_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_array_is_llvms),
        cmocka_unit_test(stacks_read_back_and_shared_parts_are_made_once),
        cmocka_unit_test(a_forest_without_stacks_is_empty),
        cmocka_unit_test(hostile_arrays_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
