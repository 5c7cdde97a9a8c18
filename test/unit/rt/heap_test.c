/* heap_test.c -- rt/heap/heap.c: sizes, zeroed memory, interior addresses,
 * iteration over blocks, reuse of large runs, memory given back.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include "rt/base/memory.h"

#include <string.h>

#define MIB ((size_t)1 << 20)

static void *alloc(size_t size)
{
    bool is_zero;

    return mprt_heap_alloc(size, &is_zero).memory;
}

static void slots_are_aligned_and_waste_little(void **state)
{
    (void)state;
    for (size_t size = 1; size < 3 * MIB; size += size / 7 + 1) {
        bool is_zero;
        const struct mprt_heap_slot slot = mprt_heap_alloc(size, &is_zero);
        assert_non_null(slot.memory);
        assert_int_equal((uintptr_t)slot.memory % MPRT_HEAP_ALIGN, 0);
        assert_true(size % MPROF_GRANULE_BYTES != 0 ||
                    (uintptr_t)slot.memory % MPROF_GRANULE_BYTES == 0);
        assert_ptr_equal(mprt_heap_slot_of(slot.memory + size - 1).memory,
                         slot.memory);
        assert_int_equal(slot.bytes, mprt_heap_room(slot.memory));
        assert_true(slot.bytes >= size);
        if (size <= 512)
            assert_true(slot.bytes - size < MPRT_HEAP_ALIGN + 32);
        else if (size <= 128 * 1024)
            assert_true((slot.bytes - size) * 8 <= slot.bytes);
        memset(slot.memory, 1, size);
        mprt_heap_free(slot.memory);
    }
}

static size_t in_page_of(const char *p, char **all, size_t count)
{
    const size_t page = (size_t)(p - mprt_runs_region) >> MPRT_HEAP_PAGE_SHIFT;
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n +=
            (size_t)(all[i] - mprt_runs_region) >> MPRT_HEAP_PAGE_SHIFT == page;
    return n;
}

/* The project's promise for small blocks: an object of 40 bytes is in a slot of
 * 64, with at most 32 bytes of header and counters. */
static void small_slots_are_near_each_other(void **state)
{
    static const struct {
        size_t size, slot, header;
    } want[] = {{1, 64, 0},    {32, 64, 0},   {33, 64, 24}, {40, 64, 24},
                {64, 64, 24},  {65, 128, 0},  {96, 128, 0}, {97, 128, 24},
                {480, 512, 0}, {512, 512, 24}};
    enum { COUNT = 4096 };
    static char *all[COUNT];

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(want); i++) {
        size_t best = 0;
        for (size_t k = 0; k < COUNT; k++)
            all[k] = alloc(want[i].size);
        for (size_t k = 0; k < COUNT; k += 50)
            best = mprof_max_u64(best, in_page_of(all[k], all, COUNT));
        for (size_t k = 0; k < COUNT; k++)
            mprt_heap_free(all[k]);
        assert_true((best + 1) * (want[i].slot + want[i].header) +
                        MPROF_GRANULE_BYTES >
                    (size_t)1 << MPRT_HEAP_PAGE_SHIFT);
    }
}

/* Two slots share neither a granule nor a byte of a header. */
static void headers_and_memory_belong_to_one_slot(void **state)
{
    enum { COUNT = 2000 };
    static struct mprt_heap_slot all[COUNT];

    (void)state;
    for (size_t size = 1; size < 200000; size += size / 3 + 13) {
        const size_t count = size < 5000 ? COUNT : 20;
        for (size_t i = 0; i < count; i++) {
            bool is_zero;
            all[i] = mprt_heap_alloc(size, &is_zero);
            memset(all[i].memory, (int)i, size);
            memset(all[i].header, (int)~i, MPRT_HEAP_HEADER_BYTES);
        }
        for (size_t i = 0; i < count; i++) {
            const unsigned char *const bytes = (void *)all[i].memory;
            const unsigned char *const header = all[i].header;
            assert_int_equal(bytes[0], i & 255);
            assert_int_equal(bytes[size - 1], i & 255);
            for (size_t k = 0; k < MPRT_HEAP_HEADER_BYTES; k++)
                assert_int_equal(header[k], ~i & 255);
            assert_ptr_equal(mprt_heap_header_at(all[i].memory), header);
            assert_null(mprt_heap_header_at(all[i].memory + 1));
            assert_null(mprt_heap_header_at(all[i].memory + 16));
            assert_ptr_equal(mprt_heap_slot_of(all[i].memory).header, header);
            const uintptr_t low = (uintptr_t)header;
            const uintptr_t first =
                mprof_round_down((uintptr_t)all[i].memory, MPROF_GRANULE_BYTES);
            const uintptr_t end = mprof_round_up(
                (uintptr_t)all[i].memory + size, MPROF_GRANULE_BYTES);
            assert_true(low + MPRT_HEAP_HEADER_BYTES <=
                            (uintptr_t)all[i].memory ||
                        low >= end);
            if (i != 0)
                assert_true((uintptr_t)all[i - 1].memory + size <= first ||
                            (uintptr_t)all[i - 1].memory >= end);
        }
        for (size_t i = 0; i < count; i++) {
            memset(all[i].header, 0, MPRT_HEAP_HEADER_BYTES);
            mprt_heap_free(all[i].memory);
        }
    }
}

/* Before its first block a slot is marked as empty, whatever the memory
 * contained. */
static void headers_of_new_slots_are_zero(void **state)
{
    static const size_t sizes[] = {10, 40, 70, 500, 600, 3000};
    static char *all[8];

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(all); i++)
        memset(all[i] = alloc(MIB), 0xff, MIB);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(all); i++)
        mprt_heap_free(all[i]);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
        for (int k = 0; k < 3000; k++) {
            bool is_zero;
            const struct mprt_heap_slot slot =
                mprt_heap_alloc(sizes[i], &is_zero);
            const struct mprt_heap_free *const header = slot.header;
            const struct mprt_heap_free *const next =
                mprt_heap_header_at(slot.memory + (sizes[i] < 64 ? 64 : 128));
            assert_int_equal(header->state, 0);
            assert_true(next == NULL || next->state == 0);
        }
    }
}

static void neighbours_do_not_overlap(void **state)
{
    enum { COUNT = 3000 };
    static unsigned char *all[COUNT];

    (void)state;
    mprt_heap_free(alloc(0));
    for (int i = 0; i < COUNT; i++) {
        all[i] = alloc(1 + (size_t)i * 7);
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
        char *const p = mprt_heap_alloc(size, &is_zero).memory;
        for (size_t k = 0; is_zero && k < size; k += 97)
            assert_int_equal(p[k], 0);
        memset(p, 0xff, size);
        mprt_heap_free(p);
    }
}

/* Goes through the thread's list, its reserve and the stack of batches. */
static void what_is_used_is_known(void **state)
{
    enum { COUNT = 3000 };
    static char *all[COUNT];
    static const size_t sizes[] = {20, 50, 800};
    struct mprt_heap_stats before;
    struct mprt_heap_stats after;

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
            mprt_heap_stats(&before);
            for (int k = 0; k < COUNT; k++)
                all[k] = alloc(sizes[i]);
            mprt_heap_stats(&after);
            assert_true(after.used_bytes - before.used_bytes >=
                        COUNT * sizes[i]);
            assert_true(after.used_bytes - before.used_bytes <=
                        COUNT * (sizes[i] + 120));
            for (int k = 0; k < COUNT; k++)
                mprt_heap_free(all[k]);
            mprt_heap_stats(&after);
            assert_int_equal(after.used_bytes, before.used_bytes);
        }
    }
}

static void free_slots_are_trimmed(void **state)
{
    enum { COUNT = 6000 };
    static char *all[COUNT];
    static const size_t sizes[] = {20, 40, 800, 9000};
    struct mprt_heap_stats before;
    struct mprt_heap_stats after;

    (void)state;
    mprt_heap_trim();
    for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
        char *const kept = alloc(sizes[i]);
        memset(kept, 1, sizes[i]);
        mprt_heap_stats(&before);
        for (int k = 0; k < COUNT; k++) {
            all[k] = alloc(sizes[i]);
            memset(all[k], 1, sizes[i]);
            *mprt_shadow_counter_of((uintptr_t)all[k]) = 1;
        }
        for (int k = 0; k < COUNT; k++)
            mprt_heap_free(all[k * 7 % COUNT]);
        assert_true(mprt_heap_trim());
        assert_false(mprt_heap_trim());
        mprt_heap_stats(&after);
        assert_int_equal(after.used_bytes, before.used_bytes);
        assert_true(after.heap_bytes <= before.heap_bytes + MIB / 4);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(kept[k], 1);
        const char *const was = all[COUNT / 2];
        unsigned char is_resident = 1;
        assert_true(mprt_os_are_resident(
            mprof_round_up((uintptr_t)was, mprt_os_page_bytes()), 1,
            &is_resident));
        assert_int_equal(is_resident & 1, 0);
        assert_int_equal(*mprt_shadow_counter_of((uintptr_t)was), 0);
        assert_null(mprt_heap_slot_of(was).memory);
        for (int k = 0; k < COUNT; k++)
            all[k] = alloc(sizes[i]);
        assert_non_null(mprt_heap_slot_of(was).memory);
        for (int k = 0; k < COUNT; k++)
            mprt_heap_free(all[k]);
        mprt_heap_free(kept);
        mprt_heap_trim();
    }
}

static void what_was_not_handed_out_is_no_slot(void **state)
{
    /* The first slot of its class. */
    char *const p = alloc(100000);

    (void)state;
    assert_ptr_equal(mprt_heap_slot_of(p + 99999).memory, p);
    const size_t bytes = mprt_heap_room(p);
    assert_null(mprt_heap_slot_of(p + 2 * bytes).memory);
    mprt_heap_free(p);
}

/* Memory of ended large slots is kept for new ones, but not all of it. */
static void little_memory_is_kept(void **state)
{
    enum { COUNT = 40 };
    static char *all[COUNT];
    struct mprt_heap_stats before;
    struct mprt_heap_stats after;

    (void)state;
    mprt_heap_stats(&before);
    for (int i = 0; i < COUNT; i++)
        memset(all[i] = alloc(MIB), 1, MIB);
    for (int i = 0; i < COUNT; i++)
        mprt_heap_free(all[i]);
    mprt_heap_stats(&after);
    assert_true(after.heap_bytes < before.heap_bytes + 8 * MIB);
}

static void what_is_not_ours_has_no_slot(void **state)
{
    int local = 0;

    (void)state;
    assert_null(mprt_heap_slot_of(&local).memory);
    assert_null(mprt_heap_slot_of(NULL).memory);
    assert_null(mprt_heap_header_at(&local));
    assert_null(mprt_heap_header_at(NULL));
    assert_null(mprt_heap_header_at((void *)UINTPTR_MAX));
    assert_false(mprt_heap_contains(&local));
    assert_null(mprt_heap_slot_of((void *)UINTPTR_MAX).memory);
}

static void large_slots_are_used_again(void **state)
{
    struct mprt_heap_stats before;
    struct mprt_heap_stats after;

    (void)state;
    mprt_heap_free(alloc(64 * MIB));
    mprt_heap_stats(&before);
    for (int i = 0; i < 1000; i++) {
        void *a = alloc(3 * MIB);
        void *b = alloc(5 * MIB);
        void *c = alloc(MIB + 1);
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
    const size_t size = (size_t)1 << 38;
    char *const p = alloc(size);

    (void)state;
    assert_non_null(p);
    const struct mprt_heap_slot slot = mprt_heap_slot_of(p + size - 1);
    assert_ptr_equal(slot.memory, p);
    assert_true(slot.bytes >= size);
    assert_ptr_equal(slot.header, mprt_heap_header_at(p));
    mprt_heap_free(p);
}

static void too_much_is_refused(void **state)
{
    (void)state;
    assert_null(alloc((size_t)1 << 50));
    assert_null(alloc(SIZE_MAX - 100));
}

struct seen {
    void *wanted;
    int count;
    char *last;
};

static void look(void *context, const struct mprt_heap_slot *slot)
{
    struct seen *const seen = context;

    assert_true(slot->memory >= seen->last);
    seen->last = slot->memory + slot->bytes;
    seen->count += slot->memory == seen->wanted;
    assert_ptr_equal(slot->header, mprt_heap_header_at(slot->memory));
}

static void a_walk_sees_each_slot_once(void **state)
{
    const size_t sizes[] = {1,      64,     65,  1000,   70000,
                            131072, 131073, MIB, 9 * MIB};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
        struct seen seen = {alloc(sizes[i]), 0, NULL};
        mprt_heap_walk(look, &seen);
        assert_int_equal(seen.count, 1);
        mprt_heap_free(seen.wanted);
    }
}

/* The kernel gives the highest free addresses. Takes all above the multiple but
 * for half of the region's size. */
static void a_region_does_not_lie_across_a_multiple(void **state)
{
    const uintptr_t unit = (uintptr_t)1 << MPROF_FIELDS_ADDRESS_BITS;
    const size_t half = MPRT_HEAP_REGION_BYTES / 2;
    char *const probe = mprt_os_reserve(0, MPRT_HEAP_REGION_BYTES);
    const uintptr_t top = (uintptr_t)probe + MPRT_HEAP_REGION_BYTES;
    const size_t taken =
        top - (mprof_round_down((uintptr_t)probe, unit) + half);

    (void)state;
    assert_non_null(probe);
    mprt_os_unmap(probe, MPRT_HEAP_REGION_BYTES);
    char *const filler = mprt_os_reserve(0, taken);
    char *const plain = mprt_os_reserve(0, MPRT_HEAP_REGION_BYTES);
    if ((uintptr_t)plain / unit ==
        ((uintptr_t)plain + MPRT_HEAP_REGION_BYTES - 1) / unit)
        skip(); /* other mappings are in the way */
    mprt_os_unmap(plain, MPRT_HEAP_REGION_BYTES);
    char *const region = mprt_memory_reserve_closed(MPRT_HEAP_REGION_BYTES);
    assert_non_null(region);
    assert_int_equal((uintptr_t)region / unit,
                     ((uintptr_t)region + MPRT_HEAP_REGION_BYTES - 1) / unit);
    mprt_os_unmap(region, MPRT_HEAP_REGION_BYTES);
    mprt_os_unmap(filler, taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_does_not_lie_across_a_multiple),
        cmocka_unit_test(what_was_not_handed_out_is_no_slot),
        cmocka_unit_test(slots_are_aligned_and_waste_little),
        cmocka_unit_test(small_slots_are_near_each_other),
        cmocka_unit_test(headers_and_memory_belong_to_one_slot),
        cmocka_unit_test(little_memory_is_kept),
        cmocka_unit_test(headers_of_new_slots_are_zero),
        cmocka_unit_test(neighbours_do_not_overlap),
        cmocka_unit_test(zero_memory_is_zero),
        cmocka_unit_test(what_is_used_is_known),
        cmocka_unit_test(free_slots_are_trimmed),
        cmocka_unit_test(what_is_not_ours_has_no_slot),
        cmocka_unit_test(large_slots_are_used_again),
        cmocka_unit_test(a_large_interior_address_finds_its_slot),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(a_walk_sees_each_slot_once),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
