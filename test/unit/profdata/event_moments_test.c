/* event_moments_test.c -- tests which blocks were alive at moments, against a
 * count of all blocks, while the number of moments shrinks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_moments.h"
#include "profdata/model/details.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>

#define MOMENTS 32u
#define APART_NS 1000u
#define KEPT 5u

struct block {
    uint32_t row;
    uint64_t birth_ns;
    uint64_t end_ns;
    uint64_t size;
};

/* Moments at multiples of APART_NS; the first and the fifth are kept longest,
 * the last always. */
static void start(struct mpdata_event_moments *m)
{
    struct mprof_diag diag;

    assert_int_equal(mpdata_event_moments_find(m, NULL, 0, &diag), MPROF_E_OK);
    free(m->ns);
    free(m->is_kept);
    m->ns = calloc(MOMENTS, sizeof(*m->ns));
    m->is_kept = calloc(MOMENTS, sizeof(*m->is_kept));
    assert_true(m->ns != NULL && m->is_kept != NULL);
    m->count = MOMENTS;
    for (uint32_t i = 0; i < MOMENTS; i++)
        m->ns[i] = (uint64_t)i * APART_NS;
    m->is_kept[0] = m->is_kept[KEPT] = m->is_kept[MOMENTS - 1] = true;
}

/* Some begin or end exactly at a moment, some never end. */
static struct block block_at(uint32_t i)
{
    const uint64_t random = i * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    struct block b = {.row = i / 4,
                      .birth_ns = random % (MOMENTS * APART_NS),
                      .size = random % 100};

    if (i % 5 == 0)
        b.birth_ns -= b.birth_ns % APART_NS;
    b.end_ns = b.birth_ns + random / 7 % (5 * APART_NS);
    if (i % 3 == 0)
        b.end_ns -= b.end_ns % APART_NS;
    if (i % 11 == 0)
        b.end_ns = UINT64_MAX;
    return b;
}

/* Blocks and bytes that were alive at moment `at` and born after moment
 * `after`, or at any time. */
struct alive {
    uint64_t blocks;
    uint64_t bytes;
};

static struct alive count_blocks(const struct mpdata_event_moments *m,
                                 uint32_t blocks, int after, uint32_t at)
{
    struct alive sum = {.blocks = 0};

    for (uint32_t i = 0; i < blocks; i++) {
        const struct block b = block_at(i);

        if (b.birth_ns > m->ns[at] || b.end_ns <= m->ns[at] ||
            (after >= 0 && b.birth_ns <= m->ns[after]))
            continue;
        sum.blocks++;
        sum.bytes += b.size;
    }
    return sum;
}

static struct alive count_details(const struct mpdata_vec *details, int after,
                                  uint32_t at)
{
    const struct mpdata_detail *const d = details->data;
    struct alive sum = {.blocks = 0};

    for (uint32_t i = 0; i < details->count; i++) {
        const int from = (int)mpdata_moments_from(d[i].key);
        const uint32_t to = mpdata_moments_to(d[i].key);

        assert_int_equal(d[i].kind, MPDATA_DETAIL_MOMENTS);
        if (from > (int)at || from <= after || (to != 0 && to <= at))
            continue;
        sum.blocks += d[i].count;
        sum.bytes += d[i].bytes;
    }
    return sum;
}

static void check(uint32_t blocks, uint32_t moments)
{
    struct mpdata_event_moments m = {.count = 0};
    struct mpdata_vec details = {.elem_bytes = sizeof(struct mpdata_detail)};

    start(&m);
    for (uint32_t i = 0; i < blocks; i++) {
        const struct block b = block_at(i);

        assert_true(mpdata_event_moments_add(&m, b.row, b.birth_ns, b.end_ns, 1,
                                             b.size));
    }
    assert_int_equal(m.count, moments);
    assert_int_equal(m.ns[m.count - 1], (MOMENTS - 1) * APART_NS);
    mpdata_event_details_order(&m.sums);
    for (uint32_t row = 0; row <= blocks / 4; row++)
        assert_true(mpdata_event_details_put(&m.sums, row, &details));
    assert_true(details.count <= MPDATA_EVENT_MOMENTS_SUMS);
    for (uint32_t i = 0; i < m.count; i += 3) {
        for (int after = -1; after < (int)i; after += 4) {
            const struct alive a = count_blocks(&m, blocks, after, i);
            const struct alive b = count_details(&details, after, i);

            assert_int_equal(a.blocks, b.blocks);
            assert_int_equal(a.bytes, b.bytes);
        }
    }
    mpdata_vec_fini(&details);
    mpdata_event_moments_fini(&m);
}

static void test_all_moments(void **state)
{
    (void)state;
    check(10000, MOMENTS);
}

static void test_fewer_moments(void **state)
{
    (void)state;
    check(1800000, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_moments),
        cmocka_unit_test(test_fewer_moments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
