/* details_test.c -- profdata/model/details.c: compares distributions of merged
 * profiles with a model that keeps all blocks, for any order of merging. The
 * sum lacks what was not measured.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/details.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

enum { TAGGED = 6, BLOCKS = 8 };

struct model {
    uint64_t counts[2][MPROF_DETAIL_BUCKETS];
    uint64_t measured;
};

/* The data of a run: a MIB, and details if it has several buckets. */
static struct mpdata_profile *make_part(struct gen *g, struct model *m)
{
    struct mpdata_profile *const p = mpdata_profile_new();
    const uint64_t blocks = 1 + gen_below(g, BLOCKS);
    const unsigned spread = (unsigned)gen_below(g, 8);
    const bool is_measured = gen_below(g, 5) != 0;
    uint64_t own[2][MPROF_DETAIL_BUCKETS] = {{0}};
    struct mprof_mib mib = {.AllocCount = 0};

    for (uint64_t i = 0; i < blocks; i++) {
        struct mprof_block_life life = {.alloc_ns = 5};

        life.size = 1 + gen_below(g, UINT64_C(1) << (3 + spread));
        life.dealloc_ns = 5 + gen_below(g, UINT64_C(1) << (3 + spread / 2));
        mprof_mib_add_life(&mib, &life);
        own[0][mprof_detail_bucket(life.size)]++;
        own[1][mprof_detail_bucket(life.dealloc_ns - 5)]++;
    }
    mib.MeasuredCount = is_measured ? mib.AllocCount : 0;
    mpdata_profile_context(p, 0, 0, &mib, MPDATA_CELLS_NONE);
    for (uint32_t kind = 1; is_measured && kind <= 2; kind++) {
        for (uint32_t i = 0; i < MPROF_DETAIL_BUCKETS; i++) {
            m->counts[kind - 1][i] += own[kind - 1][i];
            if (mprof_detail_only(&mib, kind) == MPROF_DETAIL_BUCKETS)
                mpdata_profile_detail(
                    p, &(struct mpdata_detail){
                           .kind = kind, .key = i, .count = own[kind - 1][i]});
        }
    }
    m->measured += mib.MeasuredCount;
    return p;
}

static void check(const struct mpdata_profile *p, const struct model *m)
{
    struct mpdata_profile *const canonical = gen_in_order(p);
    const struct mpdata_view view = mpdata_profile_view(canonical);
    uint64_t counts[MPROF_DETAIL_BUCKETS];

    assert_int_equal(view.context_count, 1);
    for (uint32_t kind = 1; kind <= 2; kind++) {
        assert_int_equal(
            mpdata_details_buckets(&view, view.contexts, kind, counts),
            m->measured);
        assert_memory_equal(counts, m->counts[kind - 1], sizeof(counts));
    }
    mpdata_profile_free(canonical);
}

static void sums_are_those_of_the_model(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct gen g = {.state = seed};
        struct model m = {.measured = 0};
        struct mpdata_profile *parts[TAGGED];
        struct mpdata_profile *const one = mpdata_profile_new();

        for (int i = 0; i < TAGGED; i++)
            parts[i] = make_part(&g, &m);
        for (int i = 0; i < TAGGED; i++)
            assert_int_equal(mpdata_profile_merge(one, parts[i]), MPROF_E_OK);
        check(one, &m);
        /* Merges the last with the one before it, and so on. */
        for (int i = TAGGED - 1; i > 0; i--)
            assert_int_equal(mpdata_profile_merge(parts[i - 1], parts[i]),
                             MPROF_E_OK);
        check(parts[0], &m);
        for (int i = 0; i < TAGGED; i++)
            mpdata_profile_free(parts[i]);
        mpdata_profile_free(one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
