/* block_test.c -- rt/record/block_*.c, mibmap.c and snapshot.c: births and ends
 * of blocks, queries, invalid frees, the content of a snapshot.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/unwind.h"
#include "test/unit/rt/stubs.h"

#include <pthread.h>
#include <string.h>

#define NEW(size, align) mprt_block_new(size, align, false, MPRT_CALLER())

static __attribute__((noinline)) void *new_here(size_t size, size_t align)
{
    void *const p = NEW(size, align);

    __asm__ volatile("");
    return p;
}

static void sizes_and_interior_addresses(void **state)
{
    (void)state;
    for (size_t align = 16; align <= 65536; align *= 4) {
        size_t size = 0;
        char *const p = new_here(1000, align);
        assert_int_equal((uintptr_t)p % align, 0);
        assert_true(mprt_block_find(p, &size));
        assert_int_equal(size, 1000);
        assert_ptr_equal(mprt_block_holding(p + 999, &size), p);
        assert_null(mprt_block_holding(p - 1, &size));
        assert_null(mprt_block_holding(p + 1000, &size));
        assert_false(mprt_block_find(p + 1, &size));
        assert_false(mprt_block_find(p + 32, &size));
        mprt_block_free(p, MPRT_NO_CALLER);
        assert_false(mprt_block_find(p, &size));
        assert_null(mprt_block_holding(p, &size));
    }
}

/* Blocks of one size are side by side, at any alignment; for each address
 * between the first and the last it is known which block holds it, or that none
 * does. */
static void each_address_has_its_block(void **state)
{
    enum { COUNT = 50 };
    static const size_t sizes[] = {1,   16,  31,  32,   33,   40,   64,   65,
                                   96,  97,  128, 448,  480,  481,  512,  513,
                                   600, 700, 999, 1024, 3000, 8192, 70000};
    static char *all[COUNT];

    (void)state;
    for (size_t align = 16; align <= 4096; align *= 2) {
        for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
            const size_t step = sizes[i] / 200 + 1;
            size_t size;
            for (int k = 0; k < COUNT; k++) {
                all[k] = new_here(sizes[i], align);
                assert_int_equal((uintptr_t)all[k] % align, 0);
                memset(all[k], k, sizes[i]);
            }
            for (int k = 0; k < COUNT; k++) {
                for (size_t at = 0; at < sizes[i]; at += step) {
                    assert_int_equal(all[k][at], k);
                    assert_ptr_equal(mprt_block_holding(all[k] + at, &size),
                                     all[k]);
                    assert_int_equal(size, sizes[i]);
                    assert_true(mprt_block_find(all[k] + at, &size) ==
                                (at == 0));
                }
                assert_true(mprt_block_holding(all[k] - 1, &size) != all[k]);
                assert_true(mprt_block_holding(all[k] + sizes[i], &size) !=
                            all[k]);
            }
            for (int k = 0; k < COUNT; k += 2)
                mprt_block_free(all[k], MPRT_NO_CALLER);
            for (int k = 0; k < COUNT; k++) {
                assert_true(mprt_block_find(all[k], &size) == (k % 2 != 0));
                assert_true((mprt_block_holding(all[k] + sizes[i] - 1, &size) ==
                             all[k]) == (k % 2 != 0));
            }
            for (int k = 1; k < COUNT; k += 2)
                mprt_block_free(all[k], MPRT_NO_CALLER);
        }
    }
}

/* Frees every address: only the address of a block ends a block. */
static void no_other_address_ends_a_block(void **state)
{
    static const size_t sizes[] = {16, 40, 96, 500, 600, 5000, 200000, 1000000};
    struct mprt_block_stats before;
    struct mprt_block_stats after;

    (void)state;
    for (size_t align = 16; align <= 262144; align *= 16) {
        for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
            char *const p = new_here(sizes[i], align);
            size_t size;
            mprt_block_stats(&before);
            /* Headers are adjacent, in either direction. */
            for (size_t at = 1; at <= 4096; at++) {
                if (mprt_block_holding(p + at, &size) == p)
                    mprt_block_free(p + at, MPRT_NO_CALLER);
                if (mprt_block_holding(p - at, &size) == NULL)
                    mprt_block_free(p - at, MPRT_NO_CALLER);
            }
            for (size_t at = 65536; at < sizes[i]; at += 4096)
                mprt_block_free(p + at, MPRT_NO_CALLER);
            mprt_block_stats(&after);
            assert_int_equal(after.live_blocks, before.live_blocks);
            assert_true(mprt_block_find(p, &size));
            assert_int_equal(size, sizes[i]);
            mprt_block_free(p, MPRT_NO_CALLER);
            assert_false(mprt_block_find(p, &size));
        }
    }
}

static void bad_frees_are_counted(void **state)
{
    struct mprt_block_stats before;
    struct mprt_block_stats after;
    char local[64];
    char *const p = new_here(100, 16);
    char *const q = new_here(100, 256);

    (void)state;
    mprt_block_free(p, MPRT_NO_CALLER);
    mprt_block_stats(&before);
    mprt_block_free(p, MPRT_NO_CALLER);
    mprt_block_free(q + 32, MPRT_NO_CALLER);
    mprt_block_free(local, MPRT_NO_CALLER);
    mprt_block_free(NULL, MPRT_NO_CALLER);
    mprt_block_stats(&after);
    assert_int_equal(after.foreign_frees - before.foreign_frees, 3);
    assert_int_equal(after.live_blocks, before.live_blocks);
    mprt_block_free(q, MPRT_NO_CALLER);
}

static void resizing_keeps_the_bytes(void **state)
{
    char *p = new_here(10, 16);

    (void)state;
    memcpy(p, "012345678", 10);
    for (size_t size = 10; size < 3000000; size += size / 3) {
        p = mprt_block_resize(p, size, MPRT_CALLER());
        assert_string_equal(p, "012345678");
        p[size - 1] = size > 10 ? 'x' : '\0';
    }
    for (size_t size = 3000000; size > 10; size -= size / 3) {
        p = mprt_block_resize(p, size, MPRT_CALLER());
        assert_memory_equal(p, "01234567", 8);
    }
    mprt_block_free(p, MPRT_NO_CALLER);
}

/* The counters of a slot do not outlive its block, whatever size the blocks
 * have. */
static void a_block_starts_at_zero_in_any_slot(void **state)
{
    static const size_t sizes[] = {1, 200, 470, 490, 520, 1000, 5000, 70000};
    bool is_saturated;

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
        for (size_t k = 0; k < MPROF_ARRAY_LEN(sizes); k++) {
            for (int is_freed = 0; is_freed < 2; is_freed++) {
                char *p = new_here(sizes[i], 16);
                mprt_shadow_count_range((uintptr_t)p, sizes[i], true);
                p = mprt_block_resize(p, sizes[k], MPRT_CALLER());
                assert_int_equal(
                    mprt_shadow_sum((uintptr_t)p, sizes[k], &is_saturated), 0);
                mprt_shadow_count_range((uintptr_t)p, sizes[k], true);
                if (is_freed != 0)
                    mprt_block_free(p, MPRT_NO_CALLER);
                char *const q = new_here(sizes[i], is_freed != 0 ? 16 : 256);
                assert_int_equal(
                    mprt_shadow_sum((uintptr_t)q, sizes[i], &is_saturated), 0);
                mprt_shadow_count_range((uintptr_t)q, sizes[i], true);
                mprt_block_free(q, MPRT_NO_CALLER);
                if (is_freed == 0)
                    mprt_block_free(p, MPRT_NO_CALLER);
            }
        }
    }
}

static uint64_t count_snapshot(bool take, size_t size, uint64_t *live,
                               uint64_t *accesses)
{
    struct mprt_snapshot *const s = mprt_snapshot_make(take, false);
    uint64_t count = 0;

    *live = *accesses = 0;
    assert_non_null(s);
    for (uint32_t i = 0; i < s->count; i++) {
        assert_true(i == 0 || s->ids[i] > s->ids[i - 1]);
        const struct mprof_mib *const mib = &mprt_snapshot_at(s, i)->entry->mib;
        if (mib->MaxSize != size)
            continue;
        count += mib->AllocCount;
        *live += mib->LiveCount;
        *accesses += mib->TotalAccessCount;
    }
    mprt_snapshot_free(s);
    return count;
}

static void a_snapshot_holds_what_ended_and_what_lives(void **state)
{
    enum { SIZE = 777 };
    void *all[10];
    uint64_t live;
    uint64_t accesses;

    (void)state;
    count_snapshot(true, SIZE, &live,
                   &accesses); /* left by the other mode's run */
    for (int i = 0; i < 10; i++) {
        all[i] = new_here(SIZE, 16);
        mprt_shadow_count_range((uintptr_t)all[i], 80, true);
    }
    for (int i = 0; i < 4; i++)
        mprt_block_free(all[i], MPRT_NO_CALLER);
    assert_int_equal(count_snapshot(false, SIZE, &live, &accesses), 10);
    assert_int_equal(live, 6);
    assert_int_equal(accesses, 100);
    assert_int_equal(count_snapshot(true, SIZE, &live, &accesses), 10);
    assert_int_equal(count_snapshot(true, SIZE, &live, &accesses), 6);
    mprt_block_free(all[4], MPRT_NO_CALLER);
    mprt_snapshot_reset();
    assert_int_equal(count_snapshot(true, SIZE, &live, &accesses), 5);
    assert_int_equal(accesses, 0);
    for (int i = 5; i < 10; i++)
        mprt_block_free(all[i], MPRT_NO_CALLER);
}

static void *free_elsewhere(void *p)
{
    mprt_block_free(p, MPRT_NO_CALLER);
    return NULL;
}

/* The row of the only context with blocks of this size, and the number of its
 * blocks that lived that long. */
static void take_context(size_t size, uint64_t ns, struct mprof_mib *mib,
                         uint64_t *count)
{
    struct mprt_snapshot *const s = mprt_snapshot_make(true, false);
    uint64_t counts[MPROF_DETAIL_BUCKETS];
    bool is_summed = true;

    *mib = (struct mprof_mib){.AllocCount = 0};
    *count = 0;
    assert_non_null(s);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct mprt_context *const c = mprt_snapshot_at(s, i);

        if (c->entry->mib.MaxSize != size)
            continue;
        *mib = c->entry->mib;
        is_summed = mprt_log2_counts_sum(
            mprt_mibmap_counts(&s->taken, false), c->entry->log2_counts,
            c->common_buckets.lifetime, MPROF_DETAIL_LIFETIME, mib->AllocCount,
            counts);
        for (unsigned k = mprof_detail_bucket(ns); k < MPROF_DETAIL_BUCKETS;
             k++)
            *count += counts[k];
    }
    /* A test that failed before must not make the next one wait forever. */
    mprt_snapshot_free(s);
    assert_true(is_summed);
}

static void long_lives_are_added_as_they_were(void **state)
{
    enum { SIZE = 790, BLOCKS = 40, SHORT = 20 };
    uint64_t long_ns = 4 << 20;
    void *all[BLOCKS];
    struct mprof_mib mib;
    pthread_t thread;
    uint64_t count;

    (void)state;
    take_context(SIZE, 0, &mib, &count); /* left by the other mode's run */
    const uint64_t first_ns = mprt_clock_now_ns();
    for (int i = 0; i < BLOCKS; i++) {
        all[i] = new_here(SIZE, 16);
        mprt_shadow_count_range((uintptr_t)all[i], 80, true);
    }
    const uint64_t born_ns = mprt_clock_now_ns();
    for (int i = 0; i < SHORT; i++)
        mprt_block_free(all[i], MPRT_NO_CALLER);
    /* One bucket higher, however long this machine took for the short ones. */
    const uint64_t short_ns = mprt_clock_now_ns() - first_ns;
    while (long_ns <= 2 * short_ns)
        long_ns *= 2;
    void *const much = new_here(1 << 22, 16);
    mprt_live_note_now();
    mprt_block_free(much, MPRT_NO_CALLER);
    while (mprt_clock_now_ns() - born_ns < long_ns)
        ;
    assert_int_equal(pthread_create(&thread, NULL, free_elsewhere, all[SHORT]),
                     0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (int i = SHORT + 1; i < BLOCKS; i++)
        mprt_block_free(all[i], MPRT_NO_CALLER);
    take_context(SIZE, long_ns, &mib, &count);
    assert_int_equal(mib.AllocCount, BLOCKS);
    assert_int_equal(mib.TotalSize, BLOCKS * SIZE);
    assert_int_equal(mib.TotalAccessCount, BLOCKS * 10);
    assert_int_equal(mib.PeakCount, BLOCKS - SHORT);
    assert_int_equal(mib.PeakBytes, (BLOCKS - SHORT) * SIZE);
    assert_int_equal(mib.OtherThreadCount, 1);
    assert_int_equal(mib.LiveCount, 0);
    assert_true(mib.MaxLifetimeNs >= long_ns && mib.MaxLifetime >= 3);
    assert_true(mib.TotalLifetime >= 3 * (BLOCKS - SHORT));
    assert_int_equal(count, BLOCKS - SHORT);
}

static void a_child_starts_from_zero(void **state)
{
    enum { SIZE = 778, ENDED = 779 };
    uint64_t live;
    uint64_t accesses;

    (void)state;
    void *const of_parent = new_here(SIZE, 16);
    mprt_block_free(new_here(ENDED, 16), MPRT_NO_CALLER);
    mprt_block_free(new_here(ENDED, 16), MPRT_NO_CALLER);
    /* Like fork.c, while a snapshot is being made. */
    assert_non_null(mprt_snapshot_make(false, false));
    mprt_lifecycle_after_fork(true, true);
    assert_int_equal(count_snapshot(false, SIZE, &live, &accesses), 0);
    assert_int_equal(count_snapshot(false, ENDED, &live, &accesses), 0);
    mprt_block_free(of_parent, MPRT_NO_CALLER);
    for (int i = 0; i < 3; i++)
        mprt_block_free(new_here(SIZE, 16), MPRT_NO_CALLER);
    assert_int_equal(count_snapshot(false, SIZE, &live, &accesses), 3);
    assert_int_equal(count_snapshot(true, SIZE, &live, &accesses), 3);
    assert_int_equal(count_snapshot(true, SIZE, &live, &accesses), 0);
    mprt_block_free(new_here(SIZE, 16), MPRT_NO_CALLER);
    assert_int_equal(count_snapshot(true, SIZE, &live, &accesses), 1);
    assert_int_equal(count_snapshot(true, ENDED, &live, &accesses), 0);
}

/* In slots of one size: 700 bytes at a multiple of 512, and these. */
#define OTHER_BYTES 1140
static void *cleared; /* this block ends while its counters are cleared */
static unsigned char *other;
static uint64_t other_ns; /* its birth */

static void look_for_other(void *context, const struct mprt_live_block *block)
{
    if (block->p == (uintptr_t)other)
        *(uint64_t *)context = block->life.alloc_ns;
}

/* Replaces mprt_shadow_clear(). */
void __real_mprt_shadow_clear(uintptr_t p, size_t size);
void __wrap_mprt_shadow_clear(uintptr_t p, size_t size);
void __wrap_mprt_shadow_clear(uintptr_t p, size_t size)
{
    __real_mprt_shadow_clear(p, size);
    if (cleared == NULL || p != (uintptr_t)cleared)
        return;
    cleared = NULL;
    mprt_block_free((void *)p, MPRT_NO_CALLER);
    for (int i = 0; i < 1000; i++) {
        other = new_here(OTHER_BYTES, 16);
        if (other <= (unsigned char *)p &&
            (unsigned char *)p < other + OTHER_BYTES)
            break;
    }
    mprt_block_walk(look_for_other, &other_ns);
}

/* Another block may begin in its slot meanwhile; its birth time must stay. */
static void a_restart_leaves_ended_blocks_alone(void **state)
{
    unsigned char *const p = new_here(700, 512);
    uint64_t ns = 0;

    (void)state;
    other_ns = 0;
    cleared = p;
    mprt_block_restart_all();
    assert_null(cleared);
    assert_true(other <= p && p < other + OTHER_BYTES);
    mprt_block_walk(look_for_other, &ns);
    assert_int_not_equal(ns, 0);
    assert_int_equal(ns, other_ns);
    mprt_block_free(other, MPRT_NO_CALLER);
}

/* The last test: it does not restore anything. */
static void a_dying_program_waits_for_no_snapshot(void **state)
{
    enum { SIZE = 780 };
    void *bail[5];
    uint64_t live;
    uint64_t accesses;

    (void)state;
    mprt_block_free(new_here(SIZE, 16), MPRT_NO_CALLER);
    assert_non_null(mprt_snapshot_make(false, false));
    mprt_lock_bail = bail;
    assert_int_equal(count_snapshot(true, SIZE, &live, &accesses), 1);
    mprt_lock_bail = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_interior_addresses),
        cmocka_unit_test(each_address_has_its_block),
        cmocka_unit_test(no_other_address_ends_a_block),
        cmocka_unit_test(bad_frees_are_counted),
        cmocka_unit_test(resizing_keeps_the_bytes),
        cmocka_unit_test(a_block_starts_at_zero_in_any_slot),
        cmocka_unit_test(a_snapshot_holds_what_ended_and_what_lives),
        cmocka_unit_test(long_lives_are_added_as_they_were),
        cmocka_unit_test(a_restart_leaves_ended_blocks_alone),
        cmocka_unit_test(a_child_starts_from_zero),
    };
    const struct CMUnitTest last[] = {
        cmocka_unit_test(a_dying_program_waits_for_no_snapshot),
    };

    start_runtime();
    if (cmocka_run_group_tests_name("normal", tests, NULL, NULL) != 0)
        return 1;
    /* Both modes are always mapped. */
    mprt_shadow_begin_wide_cells();
    mprt_state_set(MPRT_STATE_COUNTERS);
    mprt_shadow_mode = MPRT_SHADOW_HISTOGRAM;
    return cmocka_run_group_tests_name("histogram", tests, NULL, NULL) != 0 ||
           cmocka_run_group_tests_name("dying", last, NULL, NULL) != 0;
}
