/* pool_groups_test.c -- tests groups of call stacks on profiles that a person
 * can judge.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/pool_groups.h"
#include "shared/index_format.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#define RUN_NS UINT64_C(10000000000)
#define BLOCKS 100000u

static struct mpdata_profile *profile;
static struct mpdata_verdicts verdicts;
static struct mpdata_pool_groups groups;

static mpdata_ref frame_of(const char *function)
{
    const struct mpdata_function f = {
        .name = mpdata_profile_string(profile, function, strlen(function))};
    const struct mpdata_frame frame = {
        .function = mpdata_profile_function(profile, &f), .line = 1};

    return mpdata_profile_frame(profile, &frame);
}

static mpdata_ref node_of(const char *function)
{
    return mpdata_profile_node(profile, 0, frame_of(function));
}

/* A call stack with blocks of a size that live for a part of the run, with a
 * number of accesses per byte. */
static void add_at(mpdata_ref node, uint64_t blocks, uint64_t size, double life,
                   double accesses_per_byte)
{
    const uint64_t life_ns = (uint64_t)(life * (double)RUN_NS);
    const struct mprof_mib mib = {
        .AllocCount = blocks,
        .TotalSize = blocks * size,
        .MinSize = size,
        .MaxSize = size,
        .TotalAccessCount =
            (uint64_t)(accesses_per_byte * (double)(blocks * size)),
        .TotalLifetimeNs = blocks * life_ns,
        .MinLifetimeNs = life_ns,
        .MaxLifetimeNs = life_ns,
        .TotalLifetime = blocks * life_ns / 1000000,
        .MeasuredCount = blocks,
        .MaxLiveBytes = blocks * size};

    mpdata_profile_context(profile, node, 0, &mib, (struct mpdata_cells){0});
}

static void add(const char *function, uint64_t size, double life,
                double accesses_per_byte)
{
    add_at(node_of(function), BLOCKS, size, life, accesses_per_byte);
}

/* `count` blocks of `from` point to blocks of `to`. */
static void link_nodes(mpdata_ref from, mpdata_ref to, uint64_t count)
{
    const struct mpdata_detail detail = {.node = from,
                                         .kind = MPROF_DETAIL_LINK,
                                         .key = to,
                                         .count = count,
                                         .bytes = count};

    mpdata_profile_detail(profile, &detail);
}

static void link_blocks(const char *from, const char *to, uint64_t count)
{
    link_nodes(node_of(from), node_of(to), count);
}

static void judge(void)
{
    struct mpdata_profile *const canonical = gen_in_order(profile);

    assert_non_null(canonical);
    mpdata_profile_free(profile);
    profile = canonical;
    assert_int_equal(
        mpdata_verdict_make(&verdicts, profile, MPDATA_VERDICT_FITTING),
        MPROF_E_OK);
    assert_int_equal(mpdata_pool_groups_make(&groups, profile, &verdicts),
                     MPROF_E_OK);
}

static unsigned pool_of(const char *function)
{
    const struct mpdata_view view = mpdata_profile_view(profile);

    for (uint32_t i = 0; i < view.context_count; i++) {
        const struct mpdata_node *const node =
            &view.nodes[view.contexts[i].node - 1];
        const mpdata_ref f = view.frames[node->frame].function;

        if (strcmp(view.strings[view.functions[f - 1].name].bytes, function) ==
            0)
            return verdicts.rows[i].pool;
    }
    fail_msg("no %s", function);
    return 0;
}

static int setup(void **state)
{
    const struct mpdata_run run = {.run_id = 1,
                                   .count = 1,
                                   .kind = MPROF_RUN_MEMPROF,
                                   .pid = 1,
                                   .start_ns = 1,
                                   .dump = 1,
                                   .clock_resolution_ns = 1,
                                   .duration_ns = RUN_NS};

    (void)state;
    profile = mpdata_profile_new();
    verdicts = (struct mpdata_verdicts){.rows = NULL};
    groups = (struct mpdata_pool_groups){.rows = NULL};
    if (profile != NULL)
        mpdata_profile_run(profile, &run);
    return profile == NULL;
}

static int teardown(void **state)
{
    (void)state;
    mpdata_profile_free(profile);
    mpdata_verdict_fini(&verdicts);
    mpdata_pool_groups_fini(&groups);
    return 0;
}

/* An order, its lines, and a note that nobody reads. */
static void joins_what_is_linked_and_used(void **state)
{
    (void)state;
    add("order", 40, 0.9, 10);
    add("line", 24, 0.9, 20);
    add("note", 100, 0.9, 0.2);
    link_blocks("order", "line", BLOCKS);
    link_blocks("order", "order", BLOCKS);
    link_blocks("order", "note", BLOCKS);
    judge();
    assert_true(groups.has_links);
    assert_int_equal(groups.count, 1);
    assert_int_equal(pool_of("order"), 1);
    assert_int_equal(pool_of("line"), 1);
    assert_int_equal(pool_of("note"), 0);
    assert_int_equal(groups.rows[0].count, 2);
    assert_int_equal(groups.rows[0].blocks, 2 * BLOCKS);
    assert_float_equal(groups.rows[0].small_share, 64.0 / 164, 1e-6);
}

/* Two lists whose nodes are allocated in turn. */
static void keeps_apart_what_is_not_linked(void **state)
{
    (void)state;
    add("one", 32, 0.9, 10);
    add("two", 32, 0.9, 11);
    link_blocks("one", "one", BLOCKS);
    link_blocks("two", "two", BLOCKS);
    judge();
    assert_int_equal(pool_of("two"), 1);
    assert_int_equal(pool_of("one"), 2);
    assert_false(groups.rows[0].is_shared);
}

/* The same, but one function makes the nodes of both lists. */
static void says_that_a_call_serves_two_pools(void **state)
{
    const mpdata_ref frame = frame_of("grab");
    const mpdata_ref one = mpdata_profile_node(profile, node_of("one"), frame);
    const mpdata_ref two = mpdata_profile_node(profile, node_of("two"), frame);

    (void)state;
    add_at(one, BLOCKS, 32, 0.9, 10);
    add_at(two, BLOCKS, 32, 0.9, 11);
    link_nodes(one, one, BLOCKS);
    link_nodes(two, two, BLOCKS);
    judge();
    assert_int_equal(groups.count, 2);
    assert_true(groups.rows[0].is_shared);
    assert_true(groups.rows[1].is_shared);
}

/* Many strong links beat a few weak ones. */
static void does_not_join_by_weak_links(void **state)
{
    (void)state;
    add("one", 32, 0.9, 10);
    add("two", 32, 0.9, 11);
    link_blocks("one", "one", BLOCKS);
    link_blocks("two", "two", BLOCKS);
    link_blocks("one", "two", BLOCKS / 10);
    judge();
    assert_int_not_equal(pool_of("one"), pool_of("two"));
}

static void does_not_mix_heat_or_lifetimes(void **state)
{
    (void)state;
    add("hot", 32, 0.9, 100);
    add("mild", 32, 0.9, 10);
    add("brief", 32, 0.1, 100);
    link_blocks("hot", "mild", BLOCKS);
    link_blocks("hot", "brief", BLOCKS);
    link_blocks("hot", "hot", BLOCKS);
    judge();
    assert_int_equal(pool_of("hot"), 1);
    assert_int_not_equal(pool_of("mild"), 1);
    assert_int_not_equal(pool_of("brief"), 1);
}

/* A tree: each path of the recursion is a call stack of its own with few
 * blocks. */
static void folds_recursion(void **state)
{
    mpdata_ref node = node_of("main");
    const mpdata_ref frame = frame_of("build");

    (void)state;
    add("other", 64, 0.9, 1);
    for (unsigned depth = 0; depth < 20; depth++) {
        const mpdata_ref next = mpdata_profile_node(profile, node, frame);

        add_at(next, 500, 32, 0.9, 10);
        if (depth != 0)
            link_nodes(node, next, MPROF_DETAIL_LINK_WEIGHT);
        node = next;
    }
    judge();
    assert_int_equal(groups.count, 1);
    assert_int_equal(groups.rows[0].count, 20);
    assert_int_equal(pool_of("build"), 1);
}

static const char *why(void)
{
    assert_int_equal(groups.count, 1);
    assert_int_equal(groups.rows[0].pool, 0);
    return mpdata_pool_group_reasons[groups.rows[0].reason].name;
}

static void says_when_the_blocks_are_alone(void **state)
{
    (void)state;
    add("node", 32, 0.9, 10);
    link_blocks("node", "node", BLOCKS);
    judge();
    assert_string_equal(why(), "alone");
}

static void says_when_there_are_few_bytes(void **state)
{
    (void)state;
    add_at(node_of("node"), 1000, 24, 0.9, 1000);
    add("other", 64, 0.9, 1);
    link_blocks("node", "node", 2000);
    judge();
    assert_string_equal(why(), "small");
}

static void says_when_there_are_few_accesses(void **state)
{
    (void)state;
    add_at(node_of("node"), 2000, 32, 0.9, 20);
    add("other", 64, 0.9, 50);
    link_blocks("node", "node", 2000);
    judge();
    assert_string_equal(why(), "few-accesses");
}

static void ignores_few_links_and_big_blocks(void **state)
{
    (void)state;
    add("node", 32, 0.9, 10);
    add("page", 4096, 0.9, 10);
    link_blocks("node", "node", MPROF_DETAIL_LINK_WEIGHT);
    link_blocks("page", "page", BLOCKS);
    judge();
    assert_true(groups.has_links);
    assert_int_equal(groups.count, 0);
}

static void numbers_at_most_all_pools(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MPDATA_POOLS_MAX + 2; i++) {
        char name[16];

        snprintf(name, sizeof(name), "f%u", i);
        add(name, 32, 0.9, 10 + (double)i * 0.1);
        link_blocks(name, name, BLOCKS);
    }
    judge();
    assert_int_equal(groups.count, MPDATA_POOLS_MAX + 2);
    assert_int_equal(groups.rows[MPDATA_POOLS_MAX - 1].pool, MPDATA_POOLS_MAX);
    assert_int_equal(groups.rows[MPDATA_POOLS_MAX].pool, 0);
    assert_int_equal(groups.rows[MPDATA_POOLS_MAX].reason,
                     MPDATA_POOL_GROUP_TOO_MANY);
}

/* Call stacks that make `blocks` blocks each, which are accessed often, between
 * 1 MB of others. */
static void add_few(unsigned count, uint64_t blocks, uint64_t size)
{
    for (unsigned i = 0; i < count; i++) {
        char name[16];

        snprintf(name, sizeof(name), "few%u", i);
        add_at(node_of(name), blocks, size, 0.9, 1000);
    }
    add_at(node_of("other"), 32768, 32, 0.9, 2);
}

static void lays_few_blocks_side_by_side(void **state)
{
    (void)state;
    add_few(20, 8, 32);
    judge();
    assert_int_equal(groups.count, 1);
    assert_int_equal(groups.rows[0].reason, MPDATA_POOL_GROUP_FEW_BLOCKS);
    assert_int_equal(groups.rows[0].count, 20);
    assert_int_equal(groups.rows[0].blocks, 160);
    assert_int_equal(pool_of("few0"), 1);
    assert_int_equal(pool_of("few19"), 1);
    assert_int_equal(pool_of("other"), 0);
}

static void needs_as_many_blocks_as_have_translations(void **state)
{
    (void)state;
    add_few(6, 8, 32);
    judge();
    assert_int_equal(groups.count, 0);
}

static void leaves_call_stacks_with_many_blocks(void **state)
{
    (void)state;
    add_few(20, 100, 32);
    judge();
    assert_int_equal(groups.count, 0);
}

/* 160 blocks of 512 bytes: the hottest 128 fit, and one more kind is hotter. */
static void takes_the_hottest_few_blocks(void **state)
{
    (void)state;
    add_few(19, 8, 512);
    add_at(node_of("hottest"), 8, 512, 0.9, 2000);
    judge();
    assert_int_equal(groups.count, 1);
    assert_true(groups.rows[0].resident_bytes <= 65536);
    assert_int_equal(groups.rows[0].count, 17);
    assert_int_equal(pool_of("hottest"), 1);
}

/* A function that makes blocks for callers, most of which are not few. */
static void leaves_calls_that_make_mostly_others(void **state)
{
    const mpdata_ref frame = frame_of("grab");

    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        char name[16];

        snprintf(name, sizeof(name), "few%u", i);
        add_at(mpdata_profile_node(profile, node_of(name), frame), 8, 32, 0.9,
               1000);
    }
    add_at(mpdata_profile_node(profile, node_of("other"), frame), 32768, 32,
           0.9, 2);
    judge();
    assert_int_equal(groups.count, 0);
}

/* A list of hints calls blocks of no bytes hot. */
static void ignores_empty_blocks(void **state)
{
    (void)state;
    add_few(6, 8, 32);
    add_at(mpdata_profile_node(profile, node_of("empty"), frame_of("few0")), 1,
           0, 0.9, 0);
    judge();
    for (uint32_t i = 0; i < verdicts.count; i++) {
        if (verdicts.rows[i].bytes == 0)
            mpdata_verdict_set(&verdicts, i, MPDATA_REASON_LISTED_HOT);
    }
    mpdata_pool_groups_fini(&groups);
    assert_int_equal(mpdata_pool_groups_make(&groups, profile, &verdicts),
                     MPROF_E_OK);
    assert_int_equal(groups.count, 0);
}

static void leaves_few_blocks_in_small_heaps(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        char name[16];

        snprintf(name, sizeof(name), "few%u", i);
        add_at(node_of(name), 8, 32, 0.9, 1000);
    }
    add_at(node_of("other"), 4096, 32, 0.9, 2);
    judge();
    assert_int_equal(groups.count, 0);
}

/* Any profile: contexts are in at most one group, pools have one group. */
static void holds_for_random_profiles(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        bool has_pool[MPDATA_POOLS_MAX + 1] = {false};
        uint32_t next = 0;

        mpdata_profile_free(profile);
        mpdata_verdict_fini(&verdicts);
        mpdata_pool_groups_fini(&groups);
        profile = gen_profile(seed, 60);
        judge();
        for (uint32_t i = 0; i < groups.count; i++) {
            const struct mpdata_pool_group *const g = &groups.rows[i];

            assert_true(g->count != 0 && g->pool <= MPDATA_POOLS_MAX);
            assert_false(g->pool != 0 && has_pool[g->pool]);
            has_pool[g->pool] = g->pool != 0;
            next += g->count;
        }
        assert_true(next <= verdicts.count);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(joins_what_is_linked_and_used),
        TEST(keeps_apart_what_is_not_linked),
        TEST(says_that_a_call_serves_two_pools),
        TEST(does_not_join_by_weak_links),
        TEST(does_not_mix_heat_or_lifetimes),
        TEST(folds_recursion),
        TEST(says_when_the_blocks_are_alone),
        TEST(says_when_there_are_few_bytes),
        TEST(says_when_there_are_few_accesses),
        TEST(ignores_few_links_and_big_blocks),
        TEST(numbers_at_most_all_pools),
        TEST(lays_few_blocks_side_by_side),
        TEST(needs_as_many_blocks_as_have_translations),
        TEST(leaves_call_stacks_with_many_blocks),
        TEST(takes_the_hottest_few_blocks),
        TEST(leaves_calls_that_make_mostly_others),
        TEST(ignores_empty_blocks),
        TEST(leaves_few_blocks_in_small_heaps),
        TEST(holds_for_random_profiles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
