/* packed_mib_test.c -- checks that packing and unpacking a MIB changes nothing,
 * and that similar MIBs take little memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/packed_mib.h"
#include "test/unit/cmocka_all.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define MIBS 20000u

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Fields of all sizes, many of them 0 or as in `like`. */
static struct mprof_mib make_mib(const struct mprof_mib *like)
{
    struct mprof_mib mib = *like;

    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++) {
        const uint64_t kind = next_random() % 8;

        if (kind < 4)
            mprof_mib_set(&mib, f,
                          kind == 0 ? 0 : next_random() >> (kind * 20 - 20));
    }
    mib.AllocCount = 1 + next_random() % 3;
    mib.AccessHistogram = 0;
    return mib;
}

static void check(const struct mpdata_packed_mib *packed,
                  const struct mpdata_mib_bases *bases,
                  const struct mprof_mib *expected)
{
    const struct mprof_mib mib =
        mpdata_packed_mib_get(packed, bases->rows.data);

    assert_memory_equal(&mib, expected, sizeof(mib));
    for (size_t f = 0; f <= MPROF_MIB_FIELDS; f++)
        assert_true(mpdata_packed_mib_field(packed, bases->rows.data, f) ==
                    mprof_mib_get(expected, f));
}

/* Each is the sum of what was added. */
static void test_merges(void **state)
{
    static struct mpdata_packed_mib packed[MIBS];
    static struct mprof_mib expected[MIBS];
    struct mpdata_mib_bases bases;
    struct mprof_mib like = {.AllocCount = 0};

    (void)state;
    random_state = 88172645463325252u;
    memset(packed, 0, sizeof(packed));
    memset(expected, 0, sizeof(expected));
    assert_true(mpdata_packed_mib_bases_init(&bases));
    check(&packed[0], &bases, &expected[0]);
    for (uint32_t i = 0; i < 3 * MIBS; i++) {
        const uint32_t at = (uint32_t)(next_random() % MIBS);
        struct mprof_mib mib;

        if (i % 1000 == 0)
            like = make_mib(&like);
        mib = i % 3 == 0 ? make_mib(&like) : like;
        assert_true(mpdata_packed_mib_merge(&packed[at], &bases, &mib));
        mprof_mib_merge(&expected[at], &mib);
        check(&packed[at], &bases, &expected[at]);
    }
    for (uint32_t i = 0; i < MIBS; i++) {
        check(&packed[i], &bases, &expected[i]);
        mpdata_packed_mib_free(&packed[i]);
    }
    mpdata_packed_mib_bases_fini(&bases);
}

/* Memory of equal MIBs, and of those that differ in one field, whatever the
 * rest is: none, and little. */
static void check_memory(bool differ, size_t bytes_each)
{
    static struct mpdata_packed_mib packed[MIBS];
    struct mpdata_mib_bases bases;
    struct mprof_mib mib = {.AllocCount = 1};
    size_t before;
    size_t taken;

    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++)
        mprof_mib_set(&mib, f, UINT64_MAX / 5 - f);
    mib.AccessHistogram = 0;
    memset(packed, 0, sizeof(packed));
    assert_true(mpdata_packed_mib_bases_init(&bases));
    before = mallinfo2().uordblks;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < MIBS; i++) {
            mib.MaxSize = differ ? i : 1;
            assert_true(mpdata_packed_mib_merge(&packed[i], &bases, &mib));
        }
    }
    taken = mallinfo2().uordblks - before;
    assert_true(taken <= MIBS * bytes_each);
    for (uint32_t i = 0; i < MIBS; i++)
        mpdata_packed_mib_free(&packed[i]);
    mpdata_packed_mib_bases_fini(&bases);
}

static void test_memory(void **state)
{
    (void)state;
    check_memory(false, 2);
    check_memory(true, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merges),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
