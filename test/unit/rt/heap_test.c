/* heap_test.c -- rt/heap/heap.c: sizes, zero memory, interior addresses,
 * walking, reuse of large runs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include <string.h>

#define MIB ((size_t)1 << 20)

static void slots_are_aligned_and_waste_little(void **state)
{
    (void)state;
    for (size_t size = 1; size < 3 * MIB; size += size / 7 + 1) {
        bool is_zero;
        size_t bytes = 0;
        char *const p = mprt_heap_alloc(size, &is_zero);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % MPROF_GRANULE_BYTES, 0);
        assert_ptr_equal(mprt_heap_slot_of(p + size - 1, &bytes), p);
        assert_int_equal(bytes, mprt_heap_slot_bytes(p));
        assert_true(bytes >= size);
        assert_true(size <= 512 || size > 128 * 1024 ||
                    (bytes - size) * 8 <= bytes);
        memset(p, 1, size);
        mprt_heap_free(p);
    }
}

static void neighbours_do_not_overlap(void **state)
{
    enum { COUNT = 3000 };
    static unsigned char *all[COUNT];
    bool is_zero;

    (void)state;
    mprt_heap_free(mprt_heap_alloc(0, &is_zero));
    for (int i = 0; i < COUNT; i++) {
        all[i] = mprt_heap_alloc(1 + (size_t)i * 7, &is_zero);
        memset(all[i], i, 1 + (size_t)i * 7);
    }
    for (int i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < 1 + (size_t)i * 7; k += 13)
            assert_int_equal(all[i][k], i & 255);
        mprt_heap_free(all[i]);
    }
}

static void zero_memory_is_zero(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        bool is_zero;
        const size_t size = MIB / 2 + (size_t)round * 50000;
        char *const p = mprt_heap_alloc(size, &is_zero);
        for (size_t k = 0; is_zero && k < size; k += 97)
            assert_int_equal(p[k], 0);
        memset(p, 0xff, size);
        mprt_heap_free(p);
    }
}

static void what_is_not_ours_has_no_slot(void **state)
{
    size_t bytes;
    int local = 0;

    (void)state;
    assert_null(mprt_heap_slot_of(&local, &bytes));
    assert_null(mprt_heap_slot_of(NULL, &bytes));
    assert_false(mprt_heap_contains(&local));
    assert_null(mprt_heap_slot_of((void *)UINTPTR_MAX, &bytes));
}

static void large_slots_are_used_again(void **state)
{
    struct mprt_heap_stats before;
    struct mprt_heap_stats after;
    bool is_zero;

    (void)state;
    mprt_heap_free(mprt_heap_alloc(64 * MIB, &is_zero));
    mprt_heap_stats(&before);
    for (int i = 0; i < 1000; i++) {
        void *a = mprt_heap_alloc(3 * MIB, &is_zero);
        void *b = mprt_heap_alloc(5 * MIB, &is_zero);
        void *c = mprt_heap_alloc(MIB + 1, &is_zero);
        mprt_heap_free(b);
        mprt_heap_free(a);
        mprt_heap_free(c);
    }
    mprt_heap_stats(&after);
    assert_int_equal(after.used_bytes, before.used_bytes);
    assert_true(after.heap_bytes <= before.heap_bytes + 64 * MIB);
}

static void a_large_interior_address_finds_its_slot(void **state)
{
    bool is_zero;
    size_t bytes = 0;
    char *const p = mprt_heap_alloc((size_t)1 << 38, &is_zero);

    (void)state;
    assert_non_null(p);
    assert_ptr_equal(mprt_heap_slot_of(p + ((size_t)1 << 38) - 1, &bytes), p);
    assert_true(bytes >= (size_t)1 << 38);
    mprt_heap_free(p);
}

static void too_much_is_refused(void **state)
{
    bool is_zero;

    (void)state;
    assert_null(mprt_heap_alloc((size_t)1 << 50, &is_zero));
    assert_null(mprt_heap_alloc(SIZE_MAX - 100, &is_zero));
}

struct seen {
    void *wanted;
    int count;
    char *last;
};

static void look(void *context, void *slot, size_t bytes)
{
    struct seen *const seen = context;

    assert_true((char *)slot >= seen->last);
    seen->last = (char *)slot + bytes;
    seen->count += slot == seen->wanted;
}

static void a_walk_sees_each_slot_once(void **state)
{
    const size_t sizes[] = {1,      64,     65,  1000,   70000,
                            131072, 131073, MIB, 9 * MIB};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
        bool is_zero;
        struct seen seen = {mprt_heap_alloc(sizes[i], &is_zero), 0, NULL};
        mprt_heap_walk(look, &seen);
        assert_int_equal(seen.count, 1);
        mprt_heap_free(seen.wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_aligned_and_waste_little),
        cmocka_unit_test(neighbours_do_not_overlap),
        cmocka_unit_test(zero_memory_is_zero),
        cmocka_unit_test(what_is_not_ours_has_no_slot),
        cmocka_unit_test(large_slots_are_used_again),
        cmocka_unit_test(a_large_interior_address_finds_its_slot),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(a_walk_sees_each_slot_once),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
