/* shadow_test.c -- rt/heap/shadow_*.c: where accesses are counted, and which
 * counters are cleared and summed, in all modes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"
#include "rt/heap/shadow_internal.h"

#include <string.h>

#define MIB ((size_t)1 << 20)

/* Every address has a counter; the address itself need not be mapped. */
static const uintptr_t base = 0x123456789000;

static uint64_t sum(uintptr_t p, size_t size)
{
    bool is_saturated;

    return mprt_shadow_sum(p, size, &is_saturated);
}

static void a_count_is_the_blocks_own(void **state)
{
    (void)state;
    for (size_t size = 1; size < 1000; size += 37) {
        const uintptr_t end = mprof_round_up(base + 32 + size, 64);
        mprt_shadow_clear(base - 64, 4096);
        mprt_shadow_count_range(base + 32, 1, true);
        mprt_shadow_count_range(base + 32 + size - 1, 1, true);
        mprt_shadow_count_range(end, 1, true);
        mprt_shadow_count_range(base - 1, 1, true);
        assert_int_equal(sum(base + 32, size), 2);
        mprt_shadow_clear(base + 32, size);
        assert_int_equal(sum(base + 32, size), 0);
        assert_int_equal(sum(base - 64, 64), 1);
        assert_int_equal(sum(end, 64), 1);
    }
}

static void taking_a_count_leaves_zero(void **state)
{
    bool is_saturated;

    (void)state;
    if (mprt_shadow_mode != MPRT_SHADOW_NORMAL)
        return;
    for (size_t size = 1; size < 20 * MIB; size += size / 3 + 37) {
        const uintptr_t end = mprof_round_up(base + 32 + size, 64);
        mprt_shadow_clear(base, size + 256);
        for (size_t at = 0; at < size; at += size / 7 + 1)
            mprt_shadow_count_range(base + 32 + at, 1, true);
        mprt_shadow_count_range(base + 32 + size - 1, 1, true);
        mprt_shadow_count_range(end, 1, true);
        const uint64_t count = sum(base + 32, size);
        assert_int_equal(mprt_shadow_take(base + 32, size, &is_saturated),
                         count);
        assert_int_equal(sum(base + 32, size), 0);
        assert_int_equal(sum(end, 64), 1);
    }
}

static void ranges_count_their_words(void **state)
{
    (void)state;
    for (size_t offset = 0; offset < 64; offset += 3) {
        for (size_t n = 0; n < 300; n += 11) {
            mprt_shadow_clear(base, 1024);
            mprt_shadow_count_range(base + offset, n, true);
            assert_int_equal(sum(base, 1024), (n + 7) / 8);
        }
    }
}

static void large_blocks_are_summed_and_cleared_in_full(void **state)
{
    const size_t size = 300 * MIB;
    const uintptr_t p = base + (size_t)1 * 1024 * MIB + 32;

    (void)state;
    assert_int_equal(sum(p, size), 0);
    for (size_t at = 0; at < size; at += 7 * MIB + 8)
        mprt_shadow_count_range(p + at, 1, true);
    mprt_shadow_count_range(p + size - 1, 1, true);
    assert_int_equal(sum(p, size), 300 / 7 + 2);
    mprt_shadow_clear(p, size);
    assert_int_equal(sum(p, size), 0);
}

static void add_cells(void *to, uint64_t first, const uint32_t *counts,
                      unsigned n)
{
    assert_int_equal(first / MPRT_SHADOW_CELLS_AT_ONCE,
                     (first + n - 1) / MPRT_SHADOW_CELLS_AT_ONCE);
    for (unsigned i = 0; i < n; i++)
        ((uint64_t *)to)[first + i] += counts[i];
}

static void cells_stand_where_the_accesses_were(void **state)
{
    uint64_t cells[32] = {0};

    (void)state;
    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM)
        return;
    mprt_shadow_clear(base, 256);
    mprt_shadow_count_range(base, 64, true);
    mprt_shadow_count_range(base + 32, 16, true);
    mprt_shadow_count_range(base + 255, 1, true);
    for (int i = 0; i < 300; i++)
        mprt_shadow_count_range(base + 128, 1, true);
    mprt_shadow_visit_cells(base, 256, add_cells, cells);
    for (size_t i = 0; i < 32; i++)
        assert_int_equal(cells[i], i == 4 || i == 5 ? 2
                                   : i < 8          ? 1
                                   : i == 16        ? 300
                                                    : i == 31);
}

static void reads_and_writes_are_taken_apart(void **state)
{
    struct mprof_block_rw rw;
    bool is_saturated;

    (void)state;
    for (size_t size = 1; size < 20 * MIB; size += size / 3 + 37) {
        const uintptr_t end = mprof_round_up(base + 32 + size, 64);
        uint64_t reads = 0;
        uint64_t bytes = 0;

        mprt_shadow_clear(base, size + 256);
        for (size_t at = 0; at < size; at += size / 7 + 1) {
            const size_t n = mprof_min_u64(at % 100, size - at);
            mprt_shadow_count_rw(base + 32 + at, n, false);
            mprt_shadow_count_rw(base + 32 + at, 8, true);
            reads += (n + 7) / 8;
            bytes += n;
        }
        mprt_shadow_count_rw(base + 32 + size - 1, 1, true);
        mprt_shadow_count_rw(end, 5, true);
        const uint64_t writes = (size + size / 7) / (size / 7 + 1) + 1;
        assert_int_equal(
            mprt_shadow_sum_rw(base + 32, size, &is_saturated, &rw),
            reads + writes);
        assert_int_equal(
            mprt_shadow_take_rw(base + 32, size, &is_saturated, &rw),
            reads + writes);
        assert_int_equal(rw.reads, reads);
        assert_int_equal(rw.writes, writes);
        assert_int_equal(rw.read_bytes, bytes);
        assert_int_equal(rw.write_bytes, 8 * (writes - 1) + 1);
        assert_true(rw.is_measured && rw.has_bytes);
        assert_int_equal(
            mprt_shadow_take_rw(base + 32, size, &is_saturated, &rw), 0);
        assert_int_equal(rw.reads + rw.writes, 0);
        assert_int_equal(rw.read_bytes + rw.write_bytes, 0);
        assert_int_equal(mprt_shadow_sum_rw(end, 64, &is_saturated, &rw), 1);
        assert_int_equal(rw.write_bytes, 5);
    }
}

static void an_access_without_direction_spoils_its_block_only(void **state)
{
    struct mprof_block_rw rw;
    bool is_saturated;

    (void)state;
    mprt_shadow_clear(base, 256);
    mprt_shadow_count_rw(base, 8, false);
    mprt_shadow_count_rw(base + 64, 8, false);
    mprt_shadow_count_callback(base);
    assert_int_equal(mprt_shadow_sum_rw(base, 64, &is_saturated, &rw), 2);
    assert_false(rw.is_measured);
    assert_int_equal(mprt_shadow_take_rw(base, 64, &is_saturated, &rw), 2);
    assert_false(rw.is_measured);
    assert_int_equal(mprt_shadow_take_rw(base + 64, 64, &is_saturated, &rw), 1);
    assert_true(rw.is_measured);
}

static void bytes_are_known_where_all_code_counts_them(void **state)
{
    struct mprof_block_rw rw;
    bool is_saturated;

    (void)state;
    mprt_shadow_begin_rw(false);
    mprt_shadow_clear(base, 64);
    mprt_shadow_count_rw(base, 8, false);
    assert_int_equal(mprt_shadow_take_rw(base, 64, &is_saturated, &rw), 1);
    assert_true(rw.is_measured && !rw.has_bytes);
    mprt_shadow_begin_rw(true);
    mprt_shadow_count_rw(base, 8, false);
    assert_int_equal(mprt_shadow_take_rw(base, 64, &is_saturated, &rw), 1);
    assert_true(rw.is_measured && !rw.has_bytes);
    mprt_shadow_spoil_rw();
    assert_int_equal(mprt_shadow_mode, MPRT_SHADOW_NORMAL);
    assert_true(mprt_shadow_begin_rw(true));
    assert_int_equal(mprt_shadow_mode, MPRT_SHADOW_NORMAL);
}

/* Old counts without a block do not appear again. */
static void where_nothing_counts_no_counter_is_looked_at(void **state)
{
    static const size_t size = 100;
    bool is_zero;

    (void)state;
    const uintptr_t p = (uintptr_t)mprt_heap_alloc(size, &is_zero).memory;
    mprt_shadow_count_range(p, 8, true);
    mprt_shadow_begin_object();
    assert_int_equal(sum(p, size), 1);
    mprt_shadow_begin_uncounted();
    mprt_shadow_count_block(p, size, true);
    assert_int_equal(mprt_shadow_end(p, size), 0);
    assert_int_equal(sum(p, size), 1);
    mprt_shadow_begin_object();
    assert_int_equal(sum(p, size), 0);
    mprt_shadow_count_block(p, 8, true);
    assert_int_equal(mprt_shadow_end(p, size), 1);
    assert_int_equal(sum(p, size), 0);
    mprt_heap_free((void *)p);
}

enum { FIELDS_CELLS = 32 }; /* of 32 bytes */

struct cells {
    uint32_t counts[FIELDS_CELLS];
};

static void note_cells(void *to, uint64_t first, const uint32_t *counts,
                       unsigned n)
{
    struct cells *const cells = to;

    assert_true(first + n <= FIELDS_CELLS);
    memcpy(cells->counts + first, counts, n * sizeof(*counts));
}

/* Words of a range: one begins in each 8 bytes, and goes on. */
static void a_range_counts_in_all_4_bytes_that_it_touches(void **state)
{
    static const uint32_t written[][4] = {{0, 0, 0, 0}, {0, 0, 1, 0},
                                          {0, 0, 0, 1}, {0, 0, 1, 1},
                                          {1, 0, 0, 1}, {0, 0, 1, 1}};
    struct cells cells = {{0}};
    struct mprof_block_rw rw;
    bool is_saturated;

    (void)state;
    mprt_shadow_clear(base, 32);
    mprt_shadow_count_range(base + 6, 17, true);
    mprt_shadow_count_range(base + 16, 1, false);
    assert_int_equal(sum(base, 32), 4);
    mprt_shadow_visit_cells(base, 32, note_cells, &cells);
    assert_memory_equal(cells.counts, written, sizeof(written));
    assert_int_equal(mprt_shadow_sum_rw(base, 32, &is_saturated, &rw), 4);
    assert_true(rw.is_measured && !rw.has_bytes);
    assert_int_equal(rw.reads, 1);
    assert_int_equal(rw.writes, 3);
    mprt_shadow_clear(base, 32);
    assert_int_equal(sum(base, 32), 0);
}

static void an_unknown_direction_is_not_guessed(void **state)
{
    struct mprof_block_rw rw;
    bool is_saturated;

    (void)state;
    mprt_shadow_clear(base, 32);
    mprt_shadow_count_range_callback(base, 17);
    mprt_shadow_count_range(base + 16, 1, false);
    assert_int_equal(mprt_shadow_take_rw(base, 32, &is_saturated, &rw), 4);
    assert_false(rw.is_measured);
    mprt_shadow_clear(base, 32);
}

static int run_fields_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_is_the_blocks_own),
        cmocka_unit_test(large_blocks_are_summed_and_cleared_in_full),
        cmocka_unit_test(a_range_counts_in_all_4_bytes_that_it_touches),
        cmocka_unit_test(an_unknown_direction_is_not_guessed),
    };

    mprt_shadow_has_fields = true;
    mprt_shadow_rw_state = RW_NONE; /* the tests before have spoilt it */
    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}

static int run_rw_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_are_taken_apart),
        cmocka_unit_test(an_access_without_direction_spoils_its_block_only),
        cmocka_unit_test(bytes_are_known_where_all_code_counts_them),
    };

    mprt_shadow_begin_rw(true);
    return cmocka_run_group_tests_name("reads and writes", tests, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_is_the_blocks_own),
        cmocka_unit_test(taking_a_count_leaves_zero),
        cmocka_unit_test(ranges_count_their_words),
        cmocka_unit_test(large_blocks_are_summed_and_cleared_in_full),
        cmocka_unit_test(cells_stand_where_the_accesses_were),
    };
    const struct CMUnitTest once[] = {
        cmocka_unit_test(where_nothing_counts_no_counter_is_looked_at),
    };

    start_runtime();
    if (cmocka_run_group_tests_name("off", once, NULL, NULL) != 0)
        return 1;
    if (cmocka_run_group_tests_name("normal", tests, NULL, NULL) != 0)
        return 1;
    if (run_rw_tests() != 0)
        return 1;
    /* All modes are always mapped. */
    mprt_shadow_mode = MPRT_SHADOW_HISTOGRAM;
    if (cmocka_run_group_tests_name("histogram", tests, NULL, NULL) != 0)
        return 1;
    return run_fields_tests();
}
