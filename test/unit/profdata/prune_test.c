/* prune_test.c -- tests filtering of profiles: what is removed, what stays, and
 * the messages.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/prune.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

static struct mpdata_profile *make(uint64_t seed)
{
    struct mpdata_profile *p = gen_profile(seed, 40);
    struct mpdata_profile *canonical = gen_in_order(p);

    assert_non_null(canonical);
    mpdata_profile_free(p);
    return canonical;
}

static uint64_t sum_bytes(const struct mpdata_profile *p)
{
    const struct mpdata_view view = mpdata_profile_view(p);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < view.context_count; i++)
        sum = mprof_add_sat_u64(sum, mpdata_view_mib(&view, i).TotalSize);
    return sum;
}

static void assert_same(const struct mpdata_profile *a,
                        const struct mpdata_profile *b)
{
    struct mprof_buf first;
    struct mprof_buf second;

    assert_int_equal(gen_write(a, NULL, &first), MPROF_E_OK);
    assert_int_equal(gen_write(b, NULL, &second), MPROF_E_OK);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    mpdata_heapbuf_fini(&first);
    mpdata_heapbuf_fini(&second);
}

static struct mpdata_profile *prune_copy(const struct mpdata_profile *p,
                                         const struct mpdata_prune *prune,
                                         struct mpdata_pruned *pruned)
{
    struct mpdata_profile *copy = gen_in_order(p);

    assert_non_null(copy);
    assert_int_equal(mpdata_prune_profile(&copy, prune, pruned), MPROF_E_OK);
    return copy;
}

static void nothing_asked_keeps_everything(void **state)
{
    const struct mpdata_prune prunes[] = {
        {.depth_max = 0}, {.depth_max = 1000, .contexts_max = 1000}};

    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mpdata_profile *p = make(seed);

        for (size_t i = 0; i < MPROF_ARRAY_LEN(prunes); i++) {
            struct mpdata_pruned pruned;
            struct mpdata_profile *q = prune_copy(p, &prunes[i], &pruned);

            assert_int_equal(pruned.gone_contexts, 0);
            assert_int_equal(pruned.gone_bytes, 0);
            assert_int_equal(pruned.cut_stacks, 0);
            assert_same(p, q);
            mpdata_profile_free(q);
        }
        mpdata_profile_free(p);
    }
}

static void the_largest_stay_and_the_rest_is_counted(void **state)
{
    const struct mpdata_prune prune = {.contexts_max = 7};

    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mpdata_profile *p = make(seed);
        struct mpdata_pruned pruned;
        struct mpdata_profile *q = prune_copy(p, &prune, &pruned);
        const struct mpdata_view all = mpdata_profile_view(p);
        const struct mpdata_view some = mpdata_profile_view(q);

        assert_int_equal(some.context_count, 7);
        assert_int_equal(some.run_count, all.run_count);
        assert_int_equal(some.binary_count, all.binary_count);
        assert_int_equal(pruned.contexts, all.context_count);
        assert_int_equal(pruned.gone_contexts, all.context_count - 7);
        assert_true(sum_bytes(p) == pruned.bytes);
        assert_true(sum_bytes(q) + pruned.gone_bytes == pruned.bytes);
        for (uint32_t i = 0; i < 7; i++)
            assert_true(mpdata_view_mib(&some, i).TotalSize ==
                        mpdata_view_mib(&all, i).TotalSize);
        for (uint32_t i = 7; i < all.context_count; i++)
            assert_true(mpdata_view_mib(&all, i).TotalSize <=
                        mpdata_view_mib(&some, 6).TotalSize);
        mpdata_profile_free(q);
        mpdata_profile_free(p);
    }
}

static void cut_stacks_are_joined_without_loss(void **state)
{
    const struct mpdata_prune prune = {.depth_max = 2};

    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mpdata_profile *p = make(seed);
        struct mpdata_pruned pruned;
        struct mpdata_profile *q = prune_copy(p, &prune, &pruned);
        const struct mpdata_view view = mpdata_profile_view(q);

        assert_true(pruned.cut_stacks > 0);
        assert_int_equal(pruned.gone_contexts, 0);
        assert_true(sum_bytes(p) == sum_bytes(q));
        for (uint32_t i = 0; i < view.node_count; i++) {
            const mpdata_ref up = view.nodes[i].parent;

            assert_true(up == 0 || view.nodes[up - 1].parent == 0);
        }
        mpdata_profile_free(q);
        mpdata_profile_free(p);
    }
}

static uint8_t is_third(void *context, const struct mpdata_str *name,
                        uint64_t guid)
{
    (void)context;
    (void)guid;
    return strcmp(name->bytes, "_Z3functionv") == 0
               ? MPDATA_PRUNE_WANTED_FUNCTION
               : 0;
}

static void every_stack_that_stays_has_the_function(void **state)
{
    const struct mpdata_prune prune = {.function = is_third,
                                       .needed = MPDATA_PRUNE_WANTED_FUNCTION,
                                       .bytes_min = 5};
    struct mpdata_profile *p = make(3);
    struct mpdata_pruned pruned;
    struct mpdata_profile *q = prune_copy(p, &prune, &pruned);
    const struct mpdata_view view = mpdata_profile_view(q);

    (void)state;
    assert_true(view.context_count > 0);
    assert_true(pruned.gone_contexts > 0);
    for (uint32_t i = 0; i < view.context_count; i++) {
        bool found = false;

        assert_true(mpdata_view_mib(&view, i).TotalSize >= 5);
        for (mpdata_ref node = view.contexts[i].node; node != 0;
             node = view.nodes[node - 1].parent) {
            const mpdata_ref f =
                view.frames[view.nodes[node - 1].frame].function;

            found |= f != 0 &&
                     is_third(NULL, &view.strings[view.functions[f - 1].name],
                              0) != 0;
        }
        assert_true(found);
    }
    mpdata_profile_free(q);
    mpdata_profile_free(p);
}

static uint8_t hide_by_guid(void *context, const struct mpdata_str *name,
                            uint64_t guid)
{
    (void)context;
    (void)name;
    return guid % 5 == 0 ? MPDATA_PRUNE_HIDDEN : 0;
}

static bool is_start(uint64_t guid)
{
    return guid % 3 == 0;
}

static bool *find_starts(const struct mpdata_profile *p)
{
    const struct mpdata_view view = mpdata_profile_view(p);
    bool *const starts = calloc((size_t)view.node_count + 1, sizeof(*starts));

    for (uint32_t i = 0; i < view.node_count; i++) {
        const mpdata_ref f = view.frames[view.nodes[i].frame].function;

        starts[i + 1] = f != 0 && is_start(view.functions[f - 1].guid);
    }
    return starts;
}

#define SLOTS 997

/* Adds up the bytes of each function, weighted by its depth in each stack;
 * without the frames that hide_by_guid() hides and those of starts. */
static void sum_functions(const struct mpdata_profile *p, bool hides,
                          uint64_t sums[SLOTS])
{
    const struct mpdata_view view = mpdata_profile_view(p);

    memset(sums, 0, SLOTS * sizeof(*sums));
    for (uint32_t i = 0; i < view.context_count; i++) {
        const uint64_t bytes = mpdata_view_mib(&view, i).TotalSize;
        uint64_t depth = 0;

        for (mpdata_ref at = view.contexts[i].node; at != 0;
             at = view.nodes[at - 1].parent) {
            const mpdata_ref f = view.frames[view.nodes[at - 1].frame].function;
            const uint64_t guid = f != 0 ? view.functions[f - 1].guid : 1;
            const uint8_t bits =
                hides && f != 0 ? hide_by_guid(NULL, NULL, guid) : 0;

            if ((bits & MPDATA_PRUNE_HIDDEN) == 0 &&
                (depth == 0 || !hides || f == 0 || !is_start(guid)))
                sums[guid % SLOTS] += bytes * ++depth;
        }
        sums[0] += depth == 0 ? bytes : 0;
    }
}

static void frames_are_hidden_in_place(void **state)
{
    struct mpdata_prune prune = {.function = hide_by_guid, .hides = true};

    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        struct mpdata_profile *const p = make(seed);
        struct mpdata_pruned pruned;
        bool *const starts = find_starts(p);
        prune.starts = starts;
        struct mpdata_profile *const copy = prune_copy(p, &prune, &pruned);
        uint64_t before[SLOTS], wanted[SLOTS], found[SLOTS];

        sum_functions(p, false, before);
        sum_functions(p, true, wanted);
        sum_functions(copy, false, found);
        assert_memory_equal(found, wanted, sizeof(found));
        assert_memory_not_equal(found, before, sizeof(found));
        assert_int_equal(mpdata_prune_hide(p, &prune), MPROF_E_OK);
        sum_functions(p, false, found);
        assert_memory_equal(found, wanted, sizeof(found));
        mpdata_profile_free(copy);
        mpdata_profile_free(p);
        free(starts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_asked_keeps_everything),
        cmocka_unit_test(the_largest_stay_and_the_rest_is_counted),
        cmocka_unit_test(cut_stacks_are_joined_without_loss),
        cmocka_unit_test(every_stack_that_stays_has_the_function),
        cmocka_unit_test(frames_are_hidden_in_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
