/* raw_file_test.c -- tests files with several dumps in both formats, and
 * reading up to a damaged dump.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/raw/raw.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/raw_build.h"

static const struct raw_llvm theirs = {
    .version = 5,
    .segments = {0x11000, 0x12000, 0x10000},
    .segment_count = 1,
    .mibs = {7, 100},
    .mib_count = 1,
    .stacks = {7, 1, 0x11010},
    .stack_words = 3,
    .stack_count = 1,
};

static const struct raw_table ours[] = {
    {MPROF_RAW_META, {1, 2, 3}, 3, 1, {MPROF_RAW_META_IS_RUN_ID, 42, 0}, NULL},
    {MPROF_RAW_STRINGS, {1, 2}, 2, 1, {0}, NULL},
    {MPROF_RAW_MODULES, {1, 2, 3, 4}, 4, 0, {0}, NULL},
    {MPROF_RAW_SEGMENTS, {1, 2, 3, 4}, 4, 0, {0}, NULL},
    {MPROF_RAW_FRAMES, {1, 2}, 2, 1, {0, 0x99}, NULL},
    {MPROF_RAW_NODES, {1, 2}, 2, 1, {0, 0}, NULL},
    {MPROF_RAW_CONTEXTS,
     {MPROF_MIB_TAG_AllocCount, MPROF_RAW_CONTEXTS_NODE},
     2,
     1,
     {5, 1},
     NULL},
};

enum dump { OURS, THEIRS, NEITHER };

static void append(struct mprof_buf *stream, enum dump dump)
{
    static const char garbage[64] = "no dump at all";
    const struct raw_table *tables[MPROF_ARRAY_LEN(ours)];
    struct mprof_buf out;

    mpdata_heapbuf_init(&out);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(ours); i++)
        tables[i] = &ours[i];
    if (dump == OURS)
        raw_build(&out, tables, MPROF_ARRAY_LEN(ours), false);
    else if (dump == THEIRS)
        raw_llvm_build(&out, &theirs);
    else
        mprof_buf_bytes(&out, garbage, sizeof(garbage));
    mprof_buf_bytes(stream, out.data, out.size);
    mpdata_heapbuf_fini(&out);
}

/* Blocks of each dump read from the first `count` bytes, and the error that
 * stopped it. */
static void check(const enum dump *dumps, size_t count, size_t good,
                  enum mprof_err rest)
{
    struct mprof_buf stream;
    struct mpdata_raw_file file;
    struct mprof_diag diag;

    mpdata_heapbuf_init(&stream);
    for (size_t i = 0; i < count; i++)
        append(&stream, dumps[i]);
    assert_int_equal(
        mpdata_raw_file_read(stream.data, stream.size, true, &file, &diag), 0);
    assert_int_equal(file.count, good);
    assert_int_equal(file.rest.err, rest);
    for (size_t i = 0; i < good; i++) {
        assert_int_equal(file.dumps[i].kind,
                         dumps[i] == OURS ? MPROF_RUN_MEMPROF : MPROF_RUN_LLVM);
        assert_int_equal(mpdata_raw_mib(&file.dumps[i], 0).AllocCount,
                         dumps[i] == OURS ? 5 : 100);
    }
    mpdata_raw_file_free(&file);
    mpdata_heapbuf_fini(&stream);
}

static void reads_both_formats_in_one_stream(void **state)
{
    (void)state;
    check((const enum dump[]){THEIRS, OURS, THEIRS}, 3, 3, MPROF_E_OK);
    check((const enum dump[]){OURS, THEIRS, OURS, OURS}, 4, 4, MPROF_E_OK);
}

static void keeps_what_stands_before_damage(void **state)
{
    (void)state;
    check((const enum dump[]){OURS, NEITHER}, 2, 1, MPROF_E_MAGIC);
    check((const enum dump[]){THEIRS, NEITHER, OURS}, 3, 1, MPROF_E_MAGIC);
    check((const enum dump[]){THEIRS, OURS, NEITHER}, 3, 2, MPROF_E_MAGIC);
}

static void says_where_the_damage_is(void **state)
{
    struct mprof_buf stream;
    struct mpdata_raw_file file;
    struct mprof_diag diag;
    size_t good;

    (void)state;
    mpdata_heapbuf_init(&stream);
    append(&stream, THEIRS);
    append(&stream, OURS);
    good = stream.size;
    append(&stream, THEIRS);
    stream.data[good + 8] = 99;
    assert_int_equal(
        mpdata_raw_file_read(stream.data, stream.size, true, &file, &diag), 0);
    assert_int_equal(file.count, 2);
    assert_int_equal(file.rest.err, MPROF_E_VERSION);
    assert_int_equal(file.rest.offset, good + 8);
    mpdata_raw_file_free(&file);
    mpdata_heapbuf_fini(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_both_formats_in_one_stream),
        cmocka_unit_test(keeps_what_stands_before_damage),
        cmocka_unit_test(says_where_the_damage_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
