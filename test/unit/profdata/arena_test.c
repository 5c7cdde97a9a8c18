/* arena_test.c -- tests the arena, whose memory is freed all at once.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/arena.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static void pieces_are_aligned_and_do_not_overlap(void **state)
{
    static const size_t sizes[] = {1, 8, 13, 0, 200000, 65536, 70000, 3};
    struct mpdata_arena arena = {.left = 0};
    uint8_t *pieces[400];

    (void)state;
    for (size_t i = 0; i < 400; i++) {
        pieces[i] = mpdata_arena_alloc(&arena, sizes[i % 8]);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 8, 0);
        memset(pieces[i], (int)(i % 251), sizes[i % 8]);
    }
    for (size_t i = 0; i < 400; i++) {
        for (size_t j = 0; j < sizes[i % 8]; j++)
            assert_int_equal(pieces[i][j], i % 251);
    }
    mpdata_arena_fini(&arena);
    mpdata_arena_fini(&arena);
}

static void an_impossible_size_is_refused(void **state)
{
    struct mpdata_arena arena = {.left = 0};

    (void)state;
    assert_null(mpdata_arena_alloc(&arena, SIZE_MAX));
    assert_null(mpdata_arena_alloc(&arena, SIZE_MAX - 8));
    mpdata_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_do_not_overlap),
        cmocka_unit_test(an_impossible_size_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
