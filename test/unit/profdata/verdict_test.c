/* verdict_test.c -- tests cold and hot verdicts on profiles that a person can
 * judge, and rules that hold for every profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/verdict.h"
#include "shared/index_format.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#include <inttypes.h>
#include <math.h>

#define RUN_NS UINT64_C(10000000000)
#define MB UINT64_C(1000000)

static struct mpdata_profile *profile;
static struct mpdata_verdicts verdicts;

static mpdata_ref node_of(const char *function)
{
    const struct mpdata_function f = {
        .name = mpdata_profile_string(profile, function, strlen(function))};
    const struct mpdata_frame frame = {
        .function = mpdata_profile_function(profile, &f), .line = 1};

    return mpdata_profile_node(profile, 0,
                               mpdata_profile_frame(profile, &frame));
}

/* A call stack of one function: blocks of a size that live for a part of the
 * run, with a number of accesses per byte. */
static void add_flags(const char *function, uint64_t blocks, uint64_t size,
                      double life, double accesses_per_byte, uint32_t flags)
{
    const uint64_t life_ns = (uint64_t)(life * (double)RUN_NS);
    const uint64_t accesses =
        (uint64_t)(accesses_per_byte * (double)(blocks * size));
    const struct mprof_mib mib = {.AllocCount = blocks,
                                  .TotalSize = blocks * size,
                                  .MinSize = size,
                                  .MaxSize = size,
                                  .TotalAccessCount = accesses,
                                  .TotalLifetimeNs = blocks * life_ns,
                                  .MinLifetimeNs = life_ns,
                                  .MaxLifetimeNs = life_ns,
                                  .TotalLifetime = blocks * life_ns / 1000000,
                                  .MeasuredCount = blocks,
                                  .MaxLiveBytes = blocks * size};

    mpdata_profile_context(profile, node_of(function), flags, &mib,
                           (struct mpdata_cells){0});
}

static void add(const char *function, uint64_t blocks, uint64_t size,
                double life, double accesses_per_byte)
{
    add_flags(function, blocks, size, life, accesses_per_byte, 0);
}

static void add_run(uint64_t id, uint64_t duration_ns, uint32_t kind)
{
    const struct mpdata_run run = {.run_id = id,
                                   .count = 1,
                                   .kind = kind,
                                   .pid = id,
                                   .start_ns = id,
                                   .dump = 1,
                                   .clock_resolution_ns = 1,
                                   .duration_ns = duration_ns,
                                   .peak_bytes = 20 * MB};

    mpdata_profile_run(profile, &run);
}

static void judge_by(enum mpdata_verdict_rule rule)
{
    struct mpdata_profile *const canonical = gen_in_order(profile);

    assert_non_null(canonical);
    mpdata_profile_free(profile);
    profile = canonical;
    mpdata_verdict_fini(&verdicts);
    assert_int_equal(mpdata_verdict_make(&verdicts, profile, rule), MPROF_E_OK);
}

static void judge(void)
{
    judge_by(MPDATA_VERDICT_FITTING);
}

static const struct mpdata_verdict *of(const char *function)
{
    const struct mpdata_view view = mpdata_profile_view(profile);

    for (uint32_t i = 0; i < view.context_count; i++) {
        const struct mpdata_node *const node =
            &view.nodes[view.contexts[i].node - 1];
        const mpdata_ref f = view.frames[node->frame].function;

        if (strcmp(view.strings[view.functions[f - 1].name].bytes, function) ==
            0)
            return &verdicts.rows[i];
    }
    fail_msg("no %s", function);
    return NULL;
}

static const char *why(const char *function)
{
    return mpdata_verdict_reasons[of(function)->reason].name;
}

static int setup(void **state)
{
    (void)state;
    profile = mpdata_profile_new();
    verdicts = (struct mpdata_verdicts){.rows = NULL};
    return profile == NULL;
}

static int teardown(void **state)
{
    (void)state;
    mpdata_profile_free(profile);
    mpdata_verdict_fini(&verdicts);
    return 0;
}

/* Blocks made in the first `birth` of the run that live for `life` of it on
 * average, and of which the last one dies at `death`. */
static void add_dying(const char *function, uint64_t blocks, double birth,
                      double life, double death)
{
    const uint64_t run_ms = RUN_NS / 1000000;
    const uint64_t life_ns = (uint64_t)(life * (double)RUN_NS);
    const struct mprof_mib mib = {
        .AllocCount = blocks,
        .TotalSize = blocks * 100,
        .MinSize = 100,
        .MaxSize = 100,
        .TotalAccessCount = blocks * 14,
        .TotalLifetimeNs = blocks * life_ns,
        .MinLifetimeNs = life_ns,
        .MaxLifetimeNs = life_ns,
        .AllocTimestamp = (uint32_t)(birth * (double)run_ms),
        .DeallocTimestamp = (uint32_t)(death * (double)run_ms),
        .MeasuredCount = blocks,
        .MaxLiveBytes = blocks * 100};

    mpdata_profile_context(profile, node_of(function), 0, &mib,
                           (struct mpdata_cells){0});
}

/* The typical case: a hot node and its payload, allocated in turn. */
static void tells_payload_from_nodes(void **state)
{
    const struct mpdata_verdict *payload;

    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("node", 100000, 40, 0.9, 1000);
    add("payload", 100000, 200, 0.9, 0.2);
    judge();
    assert_string_equal(why("payload"), "cold");
    assert_int_not_equal(of("node")->kind, MPDATA_VERDICT_COLD);
    payload = of("payload");
    assert_float_equal(payload->life_share, 0.9, 1e-6);
    assert_float_equal(payload->resident_bytes, 18.0 * MB, 1);
    assert_float_equal(payload->resident_share, 200.0 / 240, 1e-6);
    assert_float_equal(payload->accesses_per_byte, 0.2, 1e-6);
    assert_int_equal(payload->saved_bytes, 18 * MB);
    assert_int_equal(of("node")->saved_bytes, 0);
}

/* Small blocks gain 8 bytes each if their size is no multiple of 16. */
static void measures_density(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("odd", 100000, 24, 0.5, 10);
    add("odd in steps of 32", 100000, 136, 0.5, 10);
    add("even", 100000, 32, 0.5, 10);
    add("least", 100000, 8, 0.5, 10);
    add("little to gain", 100000, 248, 0.5, 10);
    add("whole lines", 100000, 56, 0.5, 10);
    add("large", 1000, 1000, 0.5, 10);
    add("short", 100000, 24, 0.001, 10);
    judge();
    assert_int_equal(of("odd")->loose_bytes, 400000);
    assert_int_equal(of("odd in steps of 32")->loose_bytes, 1200000);
    assert_int_equal(of("even")->loose_bytes, 0);
    assert_int_equal(of("least")->loose_bytes, 0);
    assert_int_equal(of("little to gain")->loose_bytes, 0);
    assert_int_equal(of("whole lines")->loose_bytes, 0);
    assert_int_equal(of("large")->loose_bytes, 0);
    assert_int_equal(of("short")->loose_bytes, 0);
}

static void calls_a_small_part_hot(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("index", 10000, 100, 1, 500);
    add("table", 10000, 2000, 1, 20);
    add("seldom", 1, 100, 1, 500);
    judge();
    assert_string_equal(why("index"), "hot");
    assert_string_equal(why("table"), "average");
    assert_string_equal(why("seldom"), "few-accesses");
}

/* The length of the run does not matter: the same program, a thousand times as
 * long. */
static void needs_no_seconds(void **state)
{
    static const uint64_t durations[] = {RUN_NS / 1000, RUN_NS, 200 * RUN_NS};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(durations); i++) {
        const double part = (double)durations[i] / (double)RUN_NS;

        mpdata_profile_free(profile);
        profile = mpdata_profile_new();
        add_run(1, durations[i], MPROF_RUN_MEMPROF);
        add("node", 100000, 40, 0.9 * part, 1000);
        add("payload", 100000, 200, 0.9 * part, 0.2);
        add("scratch", 100000, 200, 0.0001 * part, 0.2);
        judge();
        assert_string_equal(why("payload"), "cold");
        assert_string_equal(why("scratch"), "temporary");
    }
}

static void never_takes_temporaries(void **state)
{
    const struct mprof_mib mostly_temporary = {.AllocCount = 100,
                                               .TotalSize = 10000,
                                               .TotalLifetimeNs = 50 * RUN_NS,
                                               .MeasuredCount = 100,
                                               .TemporaryCount = 60};
    const struct mprof_mib only = {.AllocCount = 1,
                                   .TotalSize = MB,
                                   .TotalLifetimeNs = RUN_NS / 2,
                                   .MinLifetimeNs = RUN_NS / 2,
                                   .MeasuredCount = 1,
                                   .TemporaryCount = 1};
    mpdata_ref node;

    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("node", 100000, 40, 0.9, 1000);
    add("temporary", MB, 100, 0.001, 0);
    mpdata_profile_context(profile, node_of("mostly"), 0, &mostly_temporary,
                           (struct mpdata_cells){0});
    /* Its thread made no other block, but had it for half of the run. */
    mpdata_profile_context(profile, node_of("only"), 0, &only,
                           (struct mpdata_cells){0});
    /* Half of the run on average, but most blocks end at once. */
    node = node_of("spread");
    mpdata_profile_context(profile, node, 0,
                           &(struct mprof_mib){.AllocCount = 100,
                                               .TotalSize = 10000,
                                               .TotalLifetimeNs = 40 * RUN_NS,
                                               .MinLifetimeNs = 1000,
                                               .MaxLifetimeNs = RUN_NS,
                                               .MeasuredCount = 100},
                           (struct mpdata_cells){0});
    mpdata_profile_detail(profile,
                          &(struct mpdata_detail){.node = node,
                                                  .kind = MPROF_DETAIL_LIFETIME,
                                                  .key = 9,
                                                  .count = 60});
    mpdata_profile_detail(
        profile, &(struct mpdata_detail){.node = node,
                                         .kind = MPROF_DETAIL_LIFETIME,
                                         .key = mprof_detail_bucket(RUN_NS),
                                         .count = 40});
    judge();
    assert_string_equal(why("temporary"), "temporary");
    assert_string_equal(why("mostly"), "temporary");
    assert_string_equal(why("only"), "cold");
    assert_string_equal(why("spread"), "temporary");
}

/* A few kilobytes with nearly all accesses are no measure for the others. */
static void is_not_misled_by_an_interpreter(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("stack", 1, 16000, 1, 1e6);
    add("objects", 100000, 400, 0.7, 0.5);
    add("strings", 700000, 20, 0.7, 3);
    judge();
    assert_string_equal(why("stack"), "hot");
    assert_string_equal(why("objects"), "average");
    assert_string_equal(why("strings"), "average");
}

/* A block that is only filled is no risk; a little more accesses everywhere
 * are. */
static void bounds_the_risk(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("used", 10000, 100, 1, 100);
    add("filled", 100000, 100, 1, 0.125);
    add("a", 10000, 100, 1, 0.7);
    add("b", 10000, 100, 1, 0.8);
    add("c", 10000, 100, 1, 0.82);
    judge();
    assert_string_equal(why("filled"), "cold");
    assert_string_equal(why("a"), "cold");
    assert_string_equal(why("b"), "risk");
    assert_string_equal(why("c"), "risk");
}

static void leaves_large_blocks_alone(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("node", 100000, 40, 1, 1000);
    add("buffer", 10, MB, 1, 0.13);
    add("reserve", 10, MB, 1, 0.02);
    add("untouched", 10, MB, 1, 0);
    judge();
    assert_string_equal(why("buffer"), "big");
    assert_string_equal(why("reserve"), "cold");
    assert_string_equal(why("untouched"), "cold");
}

/* Fewer accesses than those that fill blocks may all go to a part of them. */
static void keeps_blocks_that_are_used_sparsely(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("node", 10000, 40, 1, 100);
    add("header", 10000, 4000, 1, 0.02);
    add("idle", 10000, 4000, 1, 0.0001);
    add("table", 1, 100 * MB, 1, 0.001);
    judge();
    assert_string_equal(why("header"), "risk");
    assert_string_equal(why("idle"), "cold");
    assert_string_equal(why("table"), "big");
}

/* Unless others are used, blocks that fit into the first cache are the usual.
 */
static void compares_with_near_blocks_at_last(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("filled", 10, MB, 1, 0.125);
    add("near", 1, 8000, 1, 1000);
    judge();
    assert_string_equal(why("filled"), "cold");
    assert_string_equal(why("near"), "hot");
}

static void never_takes_what_has_most_accesses(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("filled", 10, MB, 1, 0.125);
    add("near", 1, 8000, 1, 100);
    judge();
    assert_string_equal(why("filled"), "risk");
}

/* As many accesses as fill the blocks, but some of them are reads. */
static void fills_by_writes_only(void **state)
{
    struct mprof_mib mib = {.AllocCount = 1000,
                            .TotalSize = 8 * MB,
                            .TotalAccessCount = MB,
                            .TotalLifetimeNs = 1000 * RUN_NS,
                            .MinLifetimeNs = RUN_NS,
                            .MeasuredRw = 1000,
                            .TotalWrites = MB};

    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("node", 10000, 40, 1, 100);
    mpdata_profile_context(profile, node_of("written"), 0, &mib,
                           (struct mpdata_cells){0});
    mib.TotalReads = MB / 2;
    mib.TotalWrites = MB / 2;
    mpdata_profile_context(profile, node_of("read"), 0, &mib,
                           (struct mpdata_cells){0});
    judge();
    assert_string_equal(why("written"), "cold");
    assert_string_equal(why("read"), "risk");
}

static void never_judges_what_was_not_measured(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("node", 100000, 40, 1, 1000);
    add_flags("library", 1000, 1000, 1, 0, MPROF_CONTEXT_FL_NOT_MEASURED);
    add_flags("unseen", 1000, 1000, 1, 0, MPROF_CONTEXT_FL_NOT_ALL_SEEN);
    add_flags("seen", 1000, 1000, 1, 0.1, MPROF_CONTEXT_FL_NOT_ALL_SEEN);
    judge();
    assert_string_equal(why("library"), "not-measured");
    assert_string_equal(why("unseen"), "not-measured");
    assert_string_equal(why("seen"), "cold");
    judge_by(MPDATA_VERDICT_LLVM);
    assert_string_equal(why("library"), "not-measured");
}

static void knows_nothing_of_other_tools_profiles(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_FOREIGN);
    add_flags("a", 1000, 1000, 1, 0, MPROF_CONTEXT_FL_NOT_MEASURED);
    judge();
    assert_string_equal(why("a"), "not-measured");
}

static void needs_lifetimes(void **state)
{
    double value;

    (void)state;
    add("a", 1000, 1000, 0, 0);
    add("b", 1000, 1000, 0, 10);
    judge();
    assert_string_equal(why("a"), "no-lifetime");
    assert_string_equal(why("b"), "no-lifetime");
    assert_false(mpdata_verdict_number(
        &verdicts.rows[0], MPDATA_VERDICT_NUMBER_LIFE_SHARE, &value));
    assert_true(mpdata_verdict_number(
        &verdicts.rows[0], MPDATA_VERDICT_NUMBER_ACCESS_SHARE, &value));
    assert_false(mpdata_verdict_number(&verdicts.rows[0],
                                       MPDATA_VERDICT_NUMBER_HEAT, &value));
}

/* LLVM's raw files do not have the length of a run, and its indexed files often
 * only densities. */
static void reads_what_llvm_says(void **state)
{
    struct mprof_mib mib = {.AllocCount = 10000,
                            .TotalSize = 2 * MB,
                            .TotalLifetime = 10000 * 9000,
                            .TotalLifetimeNs = 10000 * 9000 * MB,
                            .DeallocTimestamp = 10000};

    (void)state;
    mib.TotalLifetimeAccessDensity = 10000 * 5000;
    mpdata_profile_context(profile, node_of("node"), 0, &mib,
                           (struct mpdata_cells){0});
    mib.TotalLifetimeAccessDensity = 10000;
    mpdata_profile_context(profile, node_of("payload"), 0, &mib,
                           (struct mpdata_cells){0});
    judge();
    /* 50 accesses per byte and second, for 9 s. */
    assert_float_equal(of("node")->accesses_per_byte, 450, 0.01);
    assert_float_equal(of("node")->life_share, 0.9, 1e-6);
    assert_string_equal(why("payload"), "cold");
    judge_by(MPDATA_VERDICT_LLVM);
    assert_string_equal(why("payload"), "llvm-not-cold");
}

static void does_what_llvm_does(void **state)
{
    (void)state;
    add_run(1, 30 * RUN_NS, MPROF_RUN_MEMPROF);
    add("long", 10, 100, 20, 1);
    add("short", 10, 100, 19.9, 1);
    judge_by(MPDATA_VERDICT_LLVM);
    assert_string_equal(why("long"), "llvm-cold");
    assert_int_equal(of("long")->kind, MPDATA_VERDICT_COLD);
    assert_string_equal(why("short"), "llvm-not-cold");
}

/* A long run and many short ones. */
static void judges_merged_runs(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 9; i++)
        add_run(i, RUN_NS / 10, MPROF_RUN_MEMPROF);
    add_run(10, RUN_NS, MPROF_RUN_MEMPROF);
    /* All live as long as their run. */
    add("node", 9000, 40, 0.1, 1000);
    add("node", 1000, 40, 1, 10000);
    add("payload", 9000, 200, 0.1, 0.2);
    add("payload", 1000, 200, 1, 0.2);
    /* Only in the short ones. */
    add("option", 9000, 100, 0.1, 0.1);
    add("scratch", 90000, 100, 0.0005, 0.1);
    judge();
    assert_float_equal(of("payload")->life_share, 1, 1e-6);
    /* 1000 blocks are live at any time of any run. */
    assert_float_equal(of("payload")->resident_bytes, 200000, 1);
    assert_string_equal(why("payload"), "cold");
    assert_string_equal(why("option"), "cold");
    assert_string_equal(why("scratch"), "temporary");
}

/* -- any profile ----------------------------------------------------------- */

static void check_sums(uint64_t seed)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    double resident = 0;
    double accesses = 0;

    for (uint32_t i = 0; i < verdicts.count; i++) {
        const struct mpdata_verdict *const v = &verdicts.rows[i];
        const uint32_t flags = view.contexts[i].flags;

        resident += v->resident_share;
        accesses += v->access_share;
        if (!v->has_accesses || (flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0)
            assert_int_equal(v->kind, MPDATA_VERDICT_NOT_MEASURED);
        if (v->kind == MPDATA_VERDICT_COLD) {
            assert_true(v->heat <= 0.1);
            assert_true(v->life_share >= 0.01);
        }
        assert_int_equal(v->kind, mpdata_verdict_reasons[v->reason].kind);
    }
    if (verdicts.resident_bytes > 0 && fabs(resident - 1) > 1e-6)
        fail_msg("seed %" PRIu64 ": %f of what lives", seed, resident);
    if (verdicts.accesses != 0 && verdicts.accesses != UINT64_MAX &&
        fabs(accesses - 1) > 1e-6)
        fail_msg("seed %" PRIu64 ": %f of the accesses", seed, accesses);
}

/* The same input twice gives the same, except for rounding. */
static void check_twice(struct mpdata_verdicts *once)
{
    struct mpdata_profile *const copy = gen_in_order(profile);

    assert_non_null(copy);
    assert_int_equal(mpdata_profile_merge(profile, copy), MPROF_E_OK);
    mpdata_profile_free(copy);
    judge();
    assert_int_equal(once->count, verdicts.count);
    for (uint32_t i = 0; i < once->count; i++)
        assert_int_equal(once->rows[i].has_accesses,
                         verdicts.rows[i].has_accesses);
}

static void holds_of_any_profile(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct mpdata_verdicts once;

        mpdata_profile_free(profile);
        profile = gen_profile(seed, 60);
        judge();
        check_sums(seed);
        once = verdicts;
        verdicts = (struct mpdata_verdicts){.rows = NULL};
        check_twice(&once);
        mpdata_verdict_fini(&once);
    }
}

/* The pages of blocks that die one by one would be half empty. */
static void keeps_blocks_that_die_one_by_one(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add("node", 100000, 40, 0.9, 1000);
    add_dying("one_by_one", 50000, 0.1, 0.4, 0.9);
    add_dying("together", 50000, 0.1, 0.85, 0.9);
    add_dying("made_all_the_time", 50000, 0.9, 0.5, 0.95);
    add_dying("few", 50, 0.1, 0.4, 0.9);
    judge();
    assert_string_equal(why("one_by_one"), "piecemeal");
    assert_string_equal(why("together"), "cold");
    assert_string_equal(why("made_all_the_time"), "cold");
    assert_string_equal(why("few"), "cold");
}

/* The last birth and death are those of the long run, the lifetime is an
 * average. */
static void keeps_no_blocks_because_runs_differ(void **state)
{
    (void)state;
    add_run(1, RUN_NS, MPROF_RUN_MEMPROF);
    add_run(2, RUN_NS / 5, MPROF_RUN_MEMPROF);
    add("node", 100000, 40, 0.5, 1000);
    add_dying("together", 50000, 0.1, 0.8 * 0.6, 0.9);
    judge();
    assert_string_equal(why("together"), "cold");
}

static void says_when_there_is_nothing_to_gain(void **state)
{
    struct mpdata_verdict row = {.resident_bytes = 1e6, .blocks = 1};
    struct mpdata_verdicts all = {
        .rows = &row, .count = 1, .resident_bytes = 1e6};

    (void)state;
    assert_non_null(strstr(mpdata_verdict_no_gain(&all), "alike"));
    row.loose_bytes = 5000;
    assert_non_null(mpdata_verdict_no_gain(&all));
    row.saved_bytes = 6000;
    assert_null(mpdata_verdict_no_gain(&all));
    all.resident_bytes = 200000;
    all.peak_bytes = 2000000;
    assert_null(mpdata_verdict_no_gain(&all));
    all.peak_bytes = 200000;
    assert_non_null(strstr(mpdata_verdict_no_gain(&all), "second cache"));
    all.rule = MPDATA_VERDICT_LLVM;
    assert_null(mpdata_verdict_no_gain(&all));
    all = (struct mpdata_verdicts){
        .rows = &row, .count = 1, .resident_bytes = 5e6};
    row = (struct mpdata_verdict){.pool = 1};
    assert_null(mpdata_verdict_no_gain(&all));
    row = (struct mpdata_verdict){.resident_bytes = 3e6,
                                  .kind = MPDATA_VERDICT_NOT_MEASURED};
    assert_null(mpdata_verdict_no_gain(&all));
    row = (struct mpdata_verdict){.resident_bytes = 5e4,
                                  .kind = MPDATA_VERDICT_HOT};
    assert_null(mpdata_verdict_no_gain(&all));
    row = (struct mpdata_verdict){
        .resident_bytes = 5e6, .is_long = true, .has_accesses = true};
    assert_null(mpdata_verdict_no_gain(&all)); /* huge pages */
    all.resident_bytes = 0;
    assert_null(mpdata_verdict_no_gain(&all));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tells_payload_from_nodes),
        TEST(measures_density),
        TEST(calls_a_small_part_hot),
        TEST(needs_no_seconds),
        TEST(never_takes_temporaries),
        TEST(is_not_misled_by_an_interpreter),
        TEST(bounds_the_risk),
        TEST(leaves_large_blocks_alone),
        TEST(keeps_blocks_that_are_used_sparsely),
        TEST(compares_with_near_blocks_at_last),
        TEST(never_takes_what_has_most_accesses),
        TEST(fills_by_writes_only),
        TEST(never_judges_what_was_not_measured),
        TEST(knows_nothing_of_other_tools_profiles),
        TEST(needs_lifetimes),
        TEST(reads_what_llvm_says),
        TEST(does_what_llvm_does),
        TEST(judges_merged_runs),
        TEST(keeps_blocks_that_die_one_by_one),
        TEST(keeps_no_blocks_because_runs_differ),
        TEST(says_when_there_is_nothing_to_gain),
        TEST(holds_of_any_profile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
