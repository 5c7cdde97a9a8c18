/* set_test.c -- tests arrays of distinct rows, and the map and the vector below
 * them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/set.h"
#include "profdata/base/str.h"
#include "test/unit/cmocka_all.h"

struct row {
    uint32_t number;
    uint32_t extra; /* tells no rows apart */
};

static void equal_rows_are_one(void **state)
{
    struct mpdata_set set;
    bool is_new;

    (void)state;
    mpdata_set_init(&set, MPDATA_SET_KEY(struct row, number),
                    sizeof(struct row));
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 2000; i++) {
            const struct row key = {.number = 3 * i, .extra = round};

            assert_int_equal(mpdata_set_add(&set, &key, &is_new), i + 1);
            assert_int_equal(is_new, round == 0);
        }
    }
    assert_int_equal(set.rows.count, 2000);
    assert_int_equal(((const struct row *)set.rows.data)[1999].number,
                     3 * 1999);
    assert_int_equal(((const struct row *)set.rows.data)[1999].extra, 0);
    assert_int_equal(mpdata_set_find(&set, &(struct row){.number = 3}), 2);
    mpdata_set_fini(&set);
}

static void a_text_is_found_by_its_bytes(void **state)
{
    const struct mpdata_str texts[] = {{"a", 1}, {"", 0}, {"a\0b", 3}};
    const char copy[] = "a";
    struct mpdata_set set;

    (void)state;
    mpdata_set_init(&set, MPDATA_SET_BY_TEXT, sizeof(struct mpdata_str));
    assert_int_equal(mpdata_set_find(&set, &texts[0]), 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(mpdata_set_add(&set, &texts[i], NULL), i + 1);
    assert_int_equal(mpdata_set_find(&set, &(struct mpdata_str){copy, 1}), 1);
    assert_int_equal(mpdata_set_find(&set, &(struct mpdata_str){"b", 1}), 0);
    mpdata_set_fini(&set);
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
        cmocka_unit_test(a_text_is_found_by_its_bytes),
        cmocka_unit_test(a_vector_keeps_its_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
