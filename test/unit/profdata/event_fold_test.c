/* event_fold_test.c -- tests logs: blocks whose ends come before their
 * beginnings, what is refused, damage, and the golden file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_fold.h"
#include "profdata/events/event_log.h"
#include "profdata/events/event_rows.h"
#include "profdata/events/event_stats.h"
#include "profdata/replay/calls.h"
#include "shared/tag_format.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/golden_file.h"

#include <string.h>

struct log {
    uint8_t data[2048];
    size_t size;
    size_t block; /* where its content starts */
};

static void byte(struct log *l, unsigned n)
{
    l->data[l->size++] = (uint8_t)n;
}

static void put(struct log *l, uint64_t n)
{
    l->size = (size_t)(mprof_log_put(l->data + l->size, n) - l->data);
}

static void text(struct log *l, const char *s)
{
    memcpy(l->data + l->size, s, strlen(s) + 1);
    l->size += strlen(s) + 1;
}

/* A size of two bytes. */
static void begin(struct log *l, enum mprof_log_block code)
{
    byte(l, code);
    l->size += 2;
    l->block = l->size;
}

static void end(struct log *l)
{
    const size_t size = l->size - l->block;

    l->data[l->block - 2] = size & 127;
    l->data[l->block - 1] = (uint8_t)(size >> 7 | 128);
}

/* The start of a log with call stacks 1 (main) and 2 (main, work). */
static void start(struct log *l)
{
    *l = (struct log){.size = 0};
    byte(l, MPROF_LOG_INTRO);
    put(l, MPROF_LOG_VERSION);
    text(l, "/app");
    put(l, 0);
    put(l, 1000);
    begin(l, MPROF_LOG_LOADED);
    for (unsigned i = 0; i < 4; i++)
        put(l, i == 0);
    text(l, "/app");
    put(l, 0); /* no build id */
    put(l, 0);
    put(l, MPROF_RAW_MODULE_FL_MAIN);
    put(l, 0x10000);
    put(l, 1);
    put(l, 0x11000);
    put(l, 0x1000);
    put(l, 0x1000);
    end(l);
    begin(l, MPROF_LOG_MAPPING);
    put(l, 0);
    put(l, 0);
    put(l, 1);
    put(l, 0);
    put(l, 0);
    put(l, 1);
    put(l, 2 * mprof_log_signed(0x11010));
    put(l, 2);
    put(l, MPROF_RAW_CONTEXT_FL_TRUNCATED);
    put(l, 1);
    put(l, 1);
    put(l, 2 * mprof_log_signed(0x10));
    put(l, 0);
    put(l, 0);
    end(l);
}

static void begin_events(struct log *l, unsigned thread)
{
    begin(l, MPROF_LOG_EVENTS);
    put(l, 0);
    put(l, thread);
    put(l, 0);
}

static void end_events(struct log *l)
{
    byte(l, 0);
    put(l, 0);
    end(l);
}

static void begin_block(struct log *l, int64_t at, int64_t ns, uint64_t size,
                        uint32_t context)
{
    byte(l, MPROF_LOG_EVENT_ALLOC);
    put(l, mprof_log_signed((uint64_t)at));
    put(l, mprof_log_signed((uint64_t)ns));
    put(l, size);
    put(l, context);
}

static void end_block(struct log *l, unsigned code, int64_t at, int64_t ns,
                      uint64_t accesses)
{
    byte(l, code);
    put(l, mprof_log_signed((uint64_t)at));
    put(l, mprof_log_signed((uint64_t)ns));
    put(l, accesses);
}

static void finish(struct log *l)
{
    begin(l, MPROF_LOG_END);
    put(l, MPROF_LOG_VERSION);
    put(l, 0);
    put(l, 0);
    end(l);
}

/* The errors of reading and, if that is OK, of what came after. */
static struct mpdata_raw_file read_log(const struct log *l, enum mprof_err err,
                                       enum mprof_err rest)
{
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag = {.err = MPROF_E_OK};

    assert_int_equal(
        mpdata_event_fold_read(l->data, l->size, NULL, &file, &diag), err);
    assert_int_equal(file.rest.err, rest);
    return file;
}

static void expect_mib(const struct mpdata_raw *raw, uint32_t i,
                       uint64_t blocks, uint64_t bytes, uint64_t accesses,
                       uint64_t lifetime)
{
    const struct mprof_mib mib = mpdata_raw_mib(raw, i);

    assert_true(i < raw->context_count);
    assert_int_equal(mib.AllocCount, blocks);
    assert_int_equal(mib.TotalSize, bytes);
    assert_int_equal(mib.TotalAccessCount, accesses);
    assert_int_equal(mib.TotalLifetimeNs, lifetime);
}

static void test_run(void **state)
{
    struct log l;

    (void)state;
    start(&l);
    begin_events(&l, 1);
    begin_block(&l, 100, 10, 24, 2);
    begin_block(&l, 5, 10, 8, 1);
    end_block(&l, MPROF_LOG_EVENT_FREE | MPROF_LOG_FL_TEMPORARY, -5, 30, 7);
    end_block(&l, MPROF_LOG_EVENT_LIVE, 5, 50, 3);
    end_events(&l);
    finish(&l);
    struct mpdata_raw_file file = read_log(&l, MPROF_E_OK, MPROF_E_OK);
    const struct mpdata_raw *const raw = &file.dumps[0];
    assert_int_equal(raw->context_count, 2);
    expect_mib(raw, 0, 1, 8, 3, 80);
    expect_mib(raw, 1, 1, 24, 7, 40);
    assert_int_equal(raw->contexts[0].flags, MPROF_RAW_CONTEXT_FL_LIVE);
    assert_int_equal(raw->contexts[1].flags, MPROF_RAW_CONTEXT_FL_TRUNCATED);
    assert_int_equal(mpdata_raw_mib(raw, 1).TemporaryCount, 1);
    assert_int_equal(raw->numbers[MPROF_RAW_META_IS_TRUNCATED_STACKS], 1);
    assert_int_equal(raw->contexts[1].node, 2);
    assert_int_equal(raw->nodes[1].parent, 1);
    assert_int_equal(raw->frames[raw->nodes[1].frame].address, 0x1020);
    assert_int_equal(raw->frames[raw->nodes[1].frame].module, 1);
    mpdata_raw_file_free(&file);
}

/* Thread 2 writes before thread 1, whose blocks it ended. */
static void test_threads(void **state)
{
    struct log l;

    (void)state;
    start(&l);
    begin_events(&l, 2);
    end_block(&l, MPROF_LOG_EVENT_FREE | MPROF_LOG_FL_ELSEWHERE, 100, 90, 1);
    put(&l, mprof_log_signed(30)); /* the third one */
    end_block(&l, MPROF_LOG_EVENT_FREE | MPROF_LOG_FL_ELSEWHERE, 0, -70, 5);
    put(&l, mprof_log_signed(10)); /* the first one */
    end_events(&l);
    begin_events(&l, 1);
    begin_block(&l, 100, 10, 1, 1);
    begin_block(&l, 0, 20, 2, 1);
    end_block(&l, MPROF_LOG_EVENT_FREE, 0, 20, 20);
    begin_block(&l, 0, 10, 4, 2);
    begin_block(&l, 0, 40, 8, 2);
    end_events(&l);
    struct mpdata_raw_file file = read_log(&l, MPROF_E_OK, MPROF_E_OK);
    const struct mpdata_raw *const raw = &file.dumps[0];
    assert_int_equal(raw->context_count, 3);
    expect_mib(raw, 0, 2, 3, 25, 30);
    expect_mib(raw, 1, 1, 4, 1, 30);
    /* The log has no end: the last one lives, and nothing is known of it. */
    expect_mib(raw, 2, 1, 8, 0, 0);
    assert_int_equal(mpdata_raw_mib(raw, 2).UnseenCount, 1);
    mpdata_raw_file_free(&file);
}

/* A buffer that was written in two parts. */
static void test_further(void **state)
{
    struct log l;

    (void)state;
    start(&l);
    begin_events(&l, 1);
    begin_block(&l, 100, 10, 24, 1);
    end_events(&l);
    begin(&l, MPROF_LOG_FURTHER);
    for (unsigned i = 0; i < 2; i++)
        put(&l, i);
    put(&l, 10);
    put(&l, 100 * MPROF_LOG_ADDRESS_UNIT);
    put(&l, 3); /* CPU */
    put(&l, 7); /* peak */
    end_block(&l, MPROF_LOG_EVENT_FREE | MPROF_LOG_FL_PEAK, 0, 20, 5);
    byte(&l, MPROF_LOG_EVENT_NOTE);
    put(&l, MPROF_LOG_NOTE_PEAK);
    put(&l, 0);
    put(&l, 24);
    end_events(&l);
    finish(&l);
    struct mpdata_raw_file file = read_log(&l, MPROF_E_OK, MPROF_E_OK);
    const struct mpdata_raw *const raw = &file.dumps[0];
    assert_int_equal(raw->context_count, 1);
    expect_mib(raw, 0, 1, 24, 5, 20);
    assert_int_equal(mpdata_raw_mib(raw, 0).DeallocCpuId, 3);
    assert_int_equal(mpdata_raw_mib(raw, 0).PeakBytes, 24);
    mpdata_raw_file_free(&file);
}

static void test_refused(void **state)
{
    struct log l;
    struct mpdata_raw_file file;

    (void)state;
    start(&l);
    begin_events(&l, 1);
    begin_block(&l, 100, 10, 24, 1);
    begin_block(&l, 100, 10, 24, 3);
    end_events(&l);
    file = read_log(&l, MPROF_E_OK, MPROF_E_REFERENCE);
    assert_string_equal(file.rest.section, "log block EVENTS");
    expect_mib(&file.dumps[0], 0, 1, 24, 0, 0);
    mpdata_raw_file_free(&file);

    start(&l);
    begin(&l, MPROF_LOG_MARKS);
    put(&l, 77);
    put(&l, 0);
    put(&l, 0);
    text(&l, "mark");
    end(&l);
    file = read_log(&l, MPROF_E_OK, MPROF_E_VALUE);
    mpdata_raw_file_free(&file);

    start(&l);
    l.data[1] = 0x81; /* version 1 */
    read_log(&l, MPROF_E_VERSION, MPROF_E_OK);
    l.data[0] = 2;
    read_log(&l, MPROF_E_MAGIC, MPROF_E_OK);
}

/* A block with a weight; 0: without one. */
static void begin_sampled(struct log *l, uint64_t size, uint32_t weight)
{
    const size_t code = l->size;

    begin_block(l, 100, 10, size, 1);
    if (weight != 0) {
        l->data[code] |= MPROF_LOG_FL_WEIGHT;
        put(l, weight);
    }
}

/* A sampled block is as many equal ones. Without a weight, with none, or in a
 * log of all blocks it is damage. */
static void test_sampled(void **state)
{
    static const uint32_t wrong[][2] = {
        {MPROF_LOG_VERSION_SAMPLED, 0},
        {MPROF_LOG_VERSION_SAMPLED, MPROF_LOG_WEIGHT_MAX + 1},
        {MPROF_LOG_VERSION, 5}};
    struct log l;
    struct mpdata_raw_file file;

    (void)state;
    start(&l);
    l.data[1] = 128 | MPROF_LOG_VERSION_SAMPLED;
    assert_true(mpdata_event_log_is(l.data, l.size));
    begin_events(&l, 1);
    begin_sampled(&l, 24, 5);
    begin_sampled(&l, 40, 1);
    end_block(&l, MPROF_LOG_EVENT_FREE, 0, 7, 2);
    end_events(&l);
    file = read_log(&l, MPROF_E_OK, MPROF_E_OK);
    const struct mprof_mib *const mibs = file.dumps[0].mibs;
    assert_int_equal(file.dumps[0].context_count, 2);
    expect_mib(&file.dumps[0], 0, 1, 40, 2, 7);
    assert_int_equal(mibs[0].SampledCount, 1);
    assert_int_equal(mibs[1].AllocCount, 5);
    assert_int_equal(mibs[1].LiveBytes, 5 * 24);
    assert_int_equal(mibs[1].AllocCountVariance, 5 * 4);
    mpdata_raw_file_free(&file);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        start(&l);
        l.data[1] = (uint8_t)(128 | wrong[i][0]);
        begin_events(&l, 1);
        begin_sampled(&l, 24, wrong[i][1]);
        end_events(&l);
        file = read_log(&l, MPROF_E_OK, MPROF_E_VALUE);
        mpdata_raw_file_free(&file);
    }
}

/* A moment in seconds whose product with 10^9 is a bit too small. */
static void test_moment(void **state)
{
    struct mpdata_event_choice choice = {.at = "0.066730271s"};
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;
    struct log l;

    (void)state;
    start(&l);
    begin_events(&l, 1);
    begin_block(&l, 100, 66730271, 24, 1);
    begin_block(&l, 100, 10, 8, 2);
    end_events(&l);
    assert_int_equal(
        mpdata_event_fold_read(l.data, l.size, &choice, &file, &diag),
        MPROF_E_OK);
    assert_int_equal(file.dumps[0].context_count, 1);
    expect_mib(&file.dumps[0], 0, 1, 24, 0, 10);
    mpdata_raw_file_free(&file);
}

/* The end of a log may be fuller than the peak that it notes. */
static void expect_peak(uint64_t noted, uint64_t at_ns, uint64_t size)
{
    struct mpdata_event_choice choice = {.at = "peak"};
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;
    struct log l;

    start(&l);
    begin_events(&l, 1);
    begin_block(&l, 100, 10, 24, 1);
    byte(&l, MPROF_LOG_EVENT_PEAK);
    put(&l, 7);
    end_block(&l, MPROF_LOG_EVENT_FREE | MPROF_LOG_FL_PEAK, 0, 20, 5);
    byte(&l, MPROF_LOG_EVENT_NOTE);
    put(&l, MPROF_LOG_NOTE_PEAK);
    put(&l, mprof_log_signed(UINT64_C(0) - 15));
    put(&l, noted);
    begin_block(&l, 1, 25, 40, 2);
    end_block(&l, MPROF_LOG_EVENT_LIVE, 0, 10, 0);
    end_events(&l);
    finish(&l);
    assert_int_equal(
        mpdata_event_fold_read(l.data, l.size, &choice, &file, &diag),
        MPROF_E_OK);
    assert_int_equal(choice.at_ns, at_ns);
    assert_int_equal(file.dumps[0].context_count, 1);
    assert_int_equal(mpdata_raw_mib(&file.dumps[0], 0).TotalSize, size);
    mpdata_raw_file_free(&file);
}

static void test_peak(void **state)
{
    (void)state;
    expect_peak(64, 15, 24);
    expect_peak(24, 40, 40);
}

/* -- damage ---------------------------------------------------------------- */

static bool keeps_all(void *context, const struct mpdata_event_life *life,
                      bool is_end)
{
    (void)context;
    (void)life;
    (void)is_end;
    return true;
}

static void expect_rest(const struct mprof_diag *rest,
                        const struct mprof_diag *wanted)
{
    assert_int_equal(rest->err, wanted->err);
    assert_int_equal(rest->offset, wanted->offset);
}

/* All readers of the log end there, also those that have no use for what is
 * damaged: sums, marks, call stacks, lists, calls, and a moment that has no
 * block. */
static void expect_end(const struct log *l, enum mprof_err err)
{
    struct mpdata_event_choice early = {.at = "start"};
    struct mpdata_raw_file whole = read_log(l, MPROF_E_OK, err);
    const struct mprof_diag end = whole.rest;
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mpdata_event_stats stats;
    struct mpdata_event_stacks stacks;
    struct mpdata_event_rows rows = {
        .to_ns = UINT64_MAX, .max = 9, .keeps = keeps_all};
    struct mpdata_replay_calls calls = {.job = NULL};
    struct mprof_diag diag;

    assert_int_equal(
        mpdata_event_fold_read(l->data, l->size, &early, &file, &diag),
        MPROF_E_OK);
    expect_rest(&file.rest, &end);
    mpdata_raw_file_free(&file);
    assert_int_equal(mpdata_event_stats_marks(&stats, l->data, l->size, &diag),
                     MPROF_E_OK);
    expect_rest(&stats.rest, &end);
    mpdata_event_stats_fini(&stats);
    assert_int_equal(
        mpdata_event_stats_read(&stats, l->data, l->size, 0, &diag),
        MPROF_E_OK);
    expect_rest(&stats.rest, &end);
    mpdata_event_stats_fini(&stats);
    mpdata_event_stacks_init(&stacks);
    assert_int_equal(mpdata_event_rows_stacks(&stacks, l->data, l->size, &diag),
                     MPROF_E_OK);
    assert_int_equal(mpdata_event_rows_read(&rows, l->data, l->size, &diag),
                     MPROF_E_OK);
    expect_rest(&rows.rest, &end);
    mpdata_event_rows_fini(&rows);
    mpdata_event_stacks_fini(&stacks);
    assert_int_equal(mpdata_calls_read(&calls, l->data, l->size, &diag),
                     MPROF_E_OK);
    expect_rest(&calls.rest, &end);
    mpdata_calls_fini(&calls);
    mpdata_raw_file_free(&whole);
}

/* A block, and what comes after the damage. */
static void start_damaged(struct log *l)
{
    start(l);
    begin_events(l, 1);
    begin_block(l, 100, 10, 24, 1);
    end_events(l);
}

static void finish_damaged(struct log *l)
{
    begin_events(l, 1);
    begin_block(l, 100, 10, 24, 2);
    end_events(l);
    finish(l);
}

static void end_with(struct log *l, unsigned kind, unsigned context)
{
    start_damaged(l);
    begin_events(l, 1);
    end_block(l, MPROF_LOG_EVENT_FREE | MPROF_LOG_FL_MORE, 100, 20, 0);
    /* The flags stand in front of the address. */
    memmove(l->data + l->size - 3, l->data + l->size - 4, 4);
    l->data[l->size - 4] = MPROF_LOG_FL_ENDED >> 8;
    l->size++;
    put(l, kind);
    put(l, context);
    put(l, 0);
    end_events(l);
    finish_damaged(l);
}

static void mark_with(struct log *l, unsigned kind)
{
    start_damaged(l);
    begin(l, MPROF_LOG_MARKS);
    put(l, kind);
    put(l, 0);
    put(l, 0);
    text(l, "mark");
    put(l, 0);
    end(l);
    finish_damaged(l);
}

static void test_damage(void **state)
{
    struct log l;

    (void)state;
    end_with(&l, MPROF_DETAIL_FREE, 2);
    expect_end(&l, MPROF_E_OK);
    end_with(&l, 77, 2);
    expect_end(&l, MPROF_E_VALUE);
    end_with(&l, MPROF_DETAIL_FREE, 3);
    expect_end(&l, MPROF_E_REFERENCE);
    mark_with(&l, MPROF_RAW_MARK_MARK);
    expect_end(&l, MPROF_E_OK);
    mark_with(&l, 77);
    expect_end(&l, MPROF_E_VALUE);
    /* A context that is not known, and one that is named twice. */
    start_damaged(&l);
    begin_events(&l, 1);
    begin_block(&l, 100, 10, 24, 3);
    end_events(&l);
    finish_damaged(&l);
    expect_end(&l, MPROF_E_REFERENCE);
    start_damaged(&l);
    begin(&l, MPROF_LOG_MAPPING);
    for (unsigned i = 0; i < 6; i++)
        put(&l, i == 2 ? 1 : 0);
    put(&l, 0);
    end(&l);
    finish_damaged(&l);
    expect_end(&l, MPROF_E_DUPLICATE);
    /* A time that no run has. */
    start_damaged(&l);
    begin_events(&l, 1);
    begin_block(&l, 100, INT64_MAX, 24, 1);
    end_events(&l);
    finish_damaged(&l);
    expect_end(&l, MPROF_E_VALUE);
    /* The run over time goes back. */
    start_damaged(&l);
    begin(&l, MPROF_LOG_SERIES);
    for (unsigned i = 0; i < 2 * 5 + 1; i++)
        put(&l, i == 0 || i == 5);
    end(&l);
    finish_damaged(&l);
    expect_end(&l, MPROF_E_VALUE);
}

/* A row of TAGGED or CELLS with two fields and two numbers. */
static void put_row(struct log *l, unsigned row, unsigned kind,
                    const char *name, unsigned a, unsigned b)
{
    put(l, row);
    put(l, kind);
    if (name != NULL)
        text(l, name);
    put(l, a);
    put(l, b);
    put(l, 0);
}

/* rows: of CELLS, which two skip by `skip`; kind: of TAGGED. */
static void put_kept(struct log *l, const unsigned rows[2], unsigned skip,
                     unsigned kind)
{
    start_damaged(l);
    begin_events(l, 1);
    end_block(l, MPROF_LOG_EVENT_FREE, 100, 20, 7);
    end_events(l);
    begin(l, MPROF_LOG_CELLS);
    put_row(l, rows[0], 3, NULL, skip + 1, 7);
    put_row(l, rows[1], 0, NULL, 5 + 1, 9); /* places */
    put(l, 0);
    end(l);
    begin(l, MPROF_LOG_TAGGED);
    put_row(l, 2 * 2, kind, "a pool", MPROF_MIB_TAG_AllocCount, 4);
    put_row(l, 2 * 2 + 1, MPROF_TAG_POOL, "a pool", 4000, 5); /* later fields */
    put(l, 0);
    end(l);
    finish_damaged(l);
}

static void expect_kept(const struct mpdata_raw *raw)
{
    struct mpdata_cells_cursor cursor = {.rest = mpdata_raw_cells(raw, 0)};

    assert_int_equal(mpdata_raw_mib(raw, 0).AccessHistogramSize, 3);
    assert_true(mpdata_cells_next(&cursor));
    assert_int_equal(cursor.cell, 2);
    assert_int_equal(cursor.count, 7);
    assert_false(mpdata_cells_next(&cursor));
    assert_int_equal(raw->tagged_count, 2);
    assert_int_equal(mpdata_raw_tagged_mib(raw, 0).AllocCount, 4);
    assert_int_equal(mpdata_raw_tagged_mib(raw, 1).AllocCount, 0);
    assert_int_equal(raw->tagged_rows[1].kind, MPROF_TAG_POOL);
    assert_int_equal(raw->tagged_rows[1].flags, MPROF_RAW_CONTEXT_FL_TRUNCATED |
                                                    MPROF_RAW_CONTEXT_FL_LIVE);
    assert_string_equal(raw->string_table[raw->tagged_rows[1].name].bytes,
                        "a pool");
    assert_int_equal(raw->node_count, 2);
    assert_int_equal(raw->tagged_rows[1].node, 2);
}

static void test_kept(void **state)
{
    static const struct {
        unsigned rows[2];
        unsigned skip;
        unsigned kind;
        enum mprof_err err;
    } damages[] = {
        {{2, 4}, 2, MPROF_TAG_POOL, MPROF_E_OK},
        {{2, 4}, 3, MPROF_TAG_POOL, MPROF_E_VALUE}, /* behind the last cell */
        {{2, 2}, 2, MPROF_TAG_POOL, MPROF_E_VALUE},
        {{2, 6}, 2, MPROF_TAG_POOL, MPROF_E_REFERENCE},
        {{2, 4}, 2, MPROF_TAG_LEFT_OUT, MPROF_E_VALUE},
        {{2, 4}, 2, 77, MPROF_E_VALUE},
    };
    struct log l;

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(damages); i++) {
        put_kept(&l, damages[i].rows, damages[i].skip, damages[i].kind);
        expect_end(&l, damages[i].err);
        struct mpdata_raw_file file = read_log(&l, MPROF_E_OK, damages[i].err);
        if (damages[i].err == MPROF_E_OK) {
            assert_null(file.lacks);
            expect_kept(&file.dumps[0]);
        }
        mpdata_raw_file_free(&file);
    }
    start_damaged(&l);
    struct mpdata_raw_file file = read_log(&l, MPROF_E_OK, MPROF_E_OK);
    assert_non_null(strstr(file.lacks, "ended before"));
    mpdata_raw_file_free(&file);
}

/* Cut anywhere, a log is read up to its last whole block. */
static void test_cut(void **state)
{
    size_t whole;
    uint8_t *const golden = golden_read("log-v2", "threads.log", &whole);
    struct mpdata_raw_file file;
    struct mprof_diag diag;
    uint64_t last = 0;

    (void)state;
    assert_true(mpdata_event_log_is(golden, whole));
    for (size_t size = 0; size <= whole; size++) {
        uint64_t blocks = 0;

        if (mpdata_event_fold_read(golden, size, NULL, &file, &diag) !=
            MPROF_E_OK) {
            assert_true(last == 0 && diag.offset <= size);
            continue;
        }
        assert_true(file.rest.err == MPROF_E_OK ||
                    file.rest.err == MPROF_E_TRUNCATED);
        for (uint32_t i = 0; i < file.dumps[0].context_count; i++)
            blocks += file.dumps[0].contexts[i].blocks;
        assert_true(blocks >= last);
        last = blocks;
        mpdata_raw_file_free(&file);
    }
    free(golden);
    /* 20 blocks, 20 that grew, and one of pthread_create(). */
    assert_int_equal(last, 61);
}

static void test_golden(void **state)
{
    size_t size;
    uint8_t *const golden = golden_read("log-v2", "threads.log", &size);
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(mpdata_event_fold_read(golden, size, NULL, &file, &diag),
                     MPROF_E_OK);
    const struct mpdata_raw *const raw = &file.dumps[0];
    assert_int_equal(file.rest.err, MPROF_E_OK);
    assert_int_equal(raw->module_count, 6);
    assert_string_equal(raw->modules[0].path.bytes, "/srv/app/app");
    assert_int_equal(raw->modules[0].flags,
                     MPROF_RAW_MODULE_FL_MAIN |
                         MPROF_RAW_MODULE_FL_INSTRUMENTED);
    assert_int_equal(raw->series.mark_count, 2);
    assert_int_equal(raw->numbers[MPROF_RAW_META_IS_PEAK_BYTES], 12520);
    assert_int_equal(raw->numbers[MPROF_RAW_META_IS_DURATION_NS], 1789140);
    assert_int_equal(raw->context_count, 5);
    expect_mib(raw, 0, 10, 2260, 10, 3234688);
    mpdata_raw_file_free(&file);
    free(golden);
}

/* A buffer that was written before it was full goes on in a block FURTHER. */
static void test_golden_further(void **state)
{
    size_t size;
    uint8_t *const golden = golden_read("log-v2", "parts.log", &size);
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(mpdata_event_fold_read(golden, size, NULL, &file, &diag),
                     MPROF_E_OK);
    assert_int_equal(file.rest.err, MPROF_E_OK);
    assert_int_equal(file.dumps[0].context_count, 2);
    expect_mib(&file.dumps[0], 0, 10, 1000, 10, 12057399974);
    expect_mib(&file.dumps[0], 1, 10, 2000, 10, 5239270);
    mpdata_raw_file_free(&file);
    free(golden);
}

/* With -memprof-histogram, an event, a collection of garbage, a pool and mapped
 * memory. */
static void test_golden_kept(void **state)
{
    size_t size;
    uint8_t *const golden = golden_read("log-v2", "kept.log", &size);
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;
    uint64_t accesses = 0;

    (void)state;
    assert_int_equal(mpdata_event_fold_read(golden, size, NULL, &file, &diag),
                     MPROF_E_OK);
    const struct mpdata_raw *const raw = &file.dumps[0];
    assert_int_equal(file.rest.err, MPROF_E_OK);
    assert_null(file.lacks);
    for (uint32_t i = 0; i < raw->context_count; i++) {
        struct mpdata_cells_cursor cursor = {.rest = mpdata_raw_cells(raw, i)};

        while (mpdata_cells_next(&cursor))
            accesses += cursor.count;
    }
    assert_int_equal(accesses, 22);
    assert_int_equal(raw->tagged_count, 5);
    mpdata_raw_file_free(&file);
    free(golden);
}

/* With sample=512. */
static void test_golden_sampled(void **state)
{
    size_t size;
    uint8_t *const golden = golden_read("log-v3", "sampled.log", &size);
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(mpdata_event_fold_read(golden, size, NULL, &file, &diag),
                     MPROF_E_OK);
    const struct mpdata_raw *const raw = &file.dumps[0];
    assert_int_equal(file.rest.err, MPROF_E_OK);
    assert_int_equal(raw->numbers[MPROF_RAW_META_IS_SAMPLE_PERIOD], 512);
    assert_int_equal(raw->context_count, 2);
    mpdata_raw_file_free(&file);
    free(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),     cmocka_unit_test(test_threads),
        cmocka_unit_test(test_further), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_moment),  cmocka_unit_test(test_peak),
        cmocka_unit_test(test_damage),  cmocka_unit_test(test_cut),
        cmocka_unit_test(test_golden),  cmocka_unit_test(test_golden_further),
        cmocka_unit_test(test_sampled), cmocka_unit_test(test_golden_sampled),
        cmocka_unit_test(test_kept),    cmocka_unit_test(test_golden_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
