/* set_test.c -- tests arrays of distinct rows, and the map and the vector below
 * them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/set.h"
#include "test/unit/cmocka_all.h"

/* A bad hash on purpose: long chains must work, too. */
static uint64_t hash_number(const void *key)
{
    return *(const uint32_t *)key % 64;
}

static bool equal_number(const void *rows, uint32_t row, const void *key)
{
    return ((const uint32_t *)rows)[row] == *(const uint32_t *)key;
}

static const struct mpdata_set_kind numbers = {hash_number, equal_number,
                                               sizeof(uint32_t)};

static void equal_rows_are_one(void **state)
{
    struct mpdata_set set;
    bool is_new;

    (void)state;
    mpdata_set_init(&set, &numbers);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 2000; i++) {
            const uint32_t key = 3 * i;

            assert_int_equal(mpdata_set_add(&set, &key, &is_new), i + 1);
            assert_int_equal(is_new, round == 0);
        }
    }
    assert_int_equal(set.rows.count, 2000);
    assert_int_equal(((const uint32_t *)set.rows.data)[1999], 3 * 1999);
    mpdata_set_fini(&set);
}

static void a_key_that_is_not_there_is_not_found(void **state)
{
    const struct mpdata_map empty = {.slots = NULL};
    const uint32_t key = 5;

    (void)state;
    assert_int_equal(mpdata_map_find(&empty, 5, equal_number, NULL, &key), 0);
}

static void a_vector_keeps_its_rows(void **state)
{
    struct mpdata_vec vec = {.elem_bytes = 12};

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t *row = mpdata_vec_push(&vec);

        assert_int_equal(row[0] | row[1] | row[2], 0);
        row[2] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(((const uint32_t *)vec.data)[3 * i + 2], i);
    vec.count = MPDATA_VEC_ROWS_MAX;
    vec.capacity = MPDATA_VEC_ROWS_MAX;
    assert_null(mpdata_vec_push(&vec));
    mpdata_vec_fini(&vec);
    assert_null(vec.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_are_one),
        cmocka_unit_test(a_key_that_is_not_there_is_not_found),
        cmocka_unit_test(a_vector_keeps_its_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
