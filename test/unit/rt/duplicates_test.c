/* duplicates_test.c -- rt/record/duplicates.c: which blocks have the content of
 * another one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include "rt/record/duplicates.c"

#include <string.h>
#include <sys/mman.h>

static uint64_t some_keys[KEYS];
static _Alignas(64) char block[BYTES_MAX + 64];

static int set_up(void **state)
{
    (void)state;
    memset(some_keys, 0, sizeof(some_keys));
    freed = (struct set){.keys = (_Atomic uint64_t *)some_keys};
    mprt_sample_period = 0;
    memset(block, 'x', sizeof(block));
    return 0;
}

static enum content ask(uint32_t context, const char *p, uint64_t size)
{
    return content_of(&freed, context, (uintptr_t)p, size, true);
}

static void a_content_is_that_of_a_call_stack_and_a_size(void **state)
{
    (void)state;
    assert_int_equal(ask(7, block, 100), FIRST);
    assert_int_equal(ask(7, block, 100), REPEATED);
    assert_int_equal(ask(8, block, 100), FIRST);
    assert_int_equal(ask(7, block, 99), FIRST);
    for (size_t i = 0; i < 100; i++) {
        block[i]++;
        assert_int_equal(ask(7, block, 100), FIRST);
        assert_int_equal(ask(7, block, 100), REPEATED);
    }
}

static void what_lies_behind_the_block_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(ask(7, block, 13), FIRST);
    block[13]++;
    assert_int_equal(ask(7, block, 13), REPEATED);
    assert_int_equal(ask(7, block, BYTES_MAX), FIRST);
    assert_int_equal(ask(7, block, BYTES_MAX), REPEATED);
    block[BYTES_MAX - 1]++;
    assert_int_equal(ask(7, block, BYTES_MAX), FIRST);
    assert_int_equal(ask(7, block, BYTES_MAX + 1), UNKNOWN);
}

static void zeros_are_no_duplicates(void **state)
{
    (void)state;
    memset(block, 0, 100);
    assert_int_equal(ask(7, block, 100), FIRST);
    assert_int_equal(ask(7, block, 100), FIRST);
    assert_int_equal(ask(7, block, 0), UNKNOWN);
}

static void a_page_without_access_is_not_read(void **state)
{
    const size_t page = mprt_os_page_bytes();
    char *const p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_ptr_not_equal(p, MAP_FAILED);
    p[0] = 1;
    assert_int_equal(mprotect(p + page, page, PROT_NONE), 0);
    assert_int_equal(ask(7, p + 8, page), UNKNOWN);
    assert_int_equal(ask(7, p + page, 8), UNKNOWN);
    assert_int_equal(ask(7, p, page), FIRST);
    assert_int_equal(munmap(p, 2 * page), 0);
}

static void nothing_is_known_with_sampling_or_a_full_set(void **state)
{
    (void)state;
    assert_int_equal(ask(7, block, 100), FIRST);
    mprt_sample_period = 512;
    assert_int_equal(ask(7, block, 100), UNKNOWN);
    mprt_sample_period = 0;
    freed.used = KEYS_MAX;
    assert_int_equal(ask(7, block, 100), UNKNOWN);
}

static void keys_of_one_place_are_told_apart(void **state)
{
    (void)state;
    for (uint64_t i = 1; i < 100; i++)
        assert_int_equal(add(&freed, UINT64_MAX - i), FIRST);
    for (uint64_t i = 1; i < 100; i++)
        assert_int_equal(add(&freed, UINT64_MAX - i), REPEATED);
}

static void each_dump_has_its_own_live_blocks(void **state)
{
    struct mprt_context rows[2];
    const struct mprt_mibmap_taken taken = {
        .rows = &rows[0], .live = &rows[1], .first = 7, .last = 7};
    const struct mprt_live_block alive = {
        .p = (uintptr_t)block, .context = 7, .life = {.size = 100}};
    struct mprt_live_block other = alive;

    (void)state;
    other.context = 8; /* newer than the dump */
    live.keys = (_Atomic uint64_t *)mprt_memory_reserve(KEYS_BYTES);
    assert_non_null(live.keys);
    for (int i = 0; i < 2; i++) {
        mprt_duplicates_begin_live();
        assert_int_equal(live.used, 0);
        mprt_duplicates_add_live(&taken, &other);
        assert_int_equal(live.used, 0);
        mprt_duplicates_add_live(&taken, &alive);
        assert_int_equal(live.used, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_content_is_that_of_a_call_stack_and_a_size,
                               set_up),
        cmocka_unit_test_setup(what_lies_behind_the_block_does_not_count,
                               set_up),
        cmocka_unit_test_setup(zeros_are_no_duplicates, set_up),
        cmocka_unit_test_setup(a_page_without_access_is_not_read, set_up),
        cmocka_unit_test_setup(nothing_is_known_with_sampling_or_a_full_set,
                               set_up),
        cmocka_unit_test_setup(keys_of_one_place_are_told_apart, set_up),
        cmocka_unit_test_setup(each_dump_has_its_own_live_blocks, set_up),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
