/* heap_text_test.c -- tests heap profiles of jemalloc and gperftools: their
 * content, the scaling of samples, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/heap_text.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

#define MAPS                                                     \
    "MAPPED_LIBRARIES:\n"                                        \
    "400000-402000 r--p 00000000 fe:00 1      /srv/my app\n"     \
    "402000-403000 r-xp 00002000 fe:00 1      /srv/my app\n"     \
    "7f0000000000-7f0000001000 r-xp 00000000 00:00 0   [vdso]\n" \
    "7f0000002000-7f0000003000 rw-p 00000000 00:00 0 \n"

static enum mprof_err read_text(const char *text, struct mpdata_raw_file *file)
{
    struct mprof_diag diag;

    *file = (struct mpdata_raw_file){.dumps = NULL};
    return mpdata_heap_text_read((const uint8_t *)text, strlen(text), file,
                                 &diag);
}

static void expect_refused(const char *text, enum mprof_err err)
{
    struct mpdata_raw_file file;

    assert_int_equal(read_text(text, &file), err);
    assert_int_equal(file.count, 0);
}

static bool is(const char *text)
{
    return mpdata_heap_text_is((const uint8_t *)text, strlen(text));
}

static void test_places(void **state)
{
    struct mpdata_raw_file file;
    const struct mpdata_raw *raw;

    (void)state;
    assert_int_equal(
        read_text("heap profile: 2: 20 [ 3: 30] @ heapprofile\n"
                  " 2: 20 [ 3: 30] @ 0x402011 0x400001 0x7f0000000801 0x1\n"
                  "\n" MAPS,
                  &file),
        MPROF_E_OK);
    raw = &file.dumps[0];
    assert_int_equal(raw->kind, MPROF_RUN_FOREIGN);
    assert_int_equal(raw->sample_period_bytes, 0);
    assert_int_equal(raw->module_count, 2);
    assert_string_equal(raw->modules[0].path.bytes, "/srv/my app");
    assert_string_equal(raw->modules[1].path.bytes, "[vdso]");
    assert_string_equal(raw->texts[MPROF_RAW_META_IS_EXECUTABLE].bytes,
                        "/srv/my app");
    assert_int_equal(raw->context_count, 1);
    assert_int_equal(raw->node_count, 4);
    /* The leaf: the offset of the call in its file. */
    assert_int_equal(raw->contexts[0].node, 4);
    assert_int_equal(raw->frames[raw->nodes[3].frame].module, 1);
    assert_int_equal(raw->frames[raw->nodes[3].frame].address, 0x2010);
    assert_int_equal(raw->frames[raw->nodes[2].frame].address, 0);
    assert_int_equal(raw->frames[raw->nodes[1].frame].module, 2);
    assert_int_equal(raw->frames[raw->nodes[1].frame].address, 0x800);
    assert_int_equal(raw->frames[raw->nodes[0].frame].module, 0);
    assert_int_equal(raw->frames[raw->nodes[0].frame].address, 0);
    assert_int_equal(mpdata_raw_mib(raw, 0).AllocCount, 3);
    assert_int_equal(mpdata_raw_mib(raw, 0).TotalSize, 30);
    assert_int_equal(mpdata_raw_mib(raw, 0).LiveCount, 2);
    assert_int_equal(mpdata_raw_mib(raw, 0).LiveBytes, 20);
    mpdata_raw_file_free(&file);
}

/* The list of mappings of older tools. */
static void test_brief_maps(void **state)
{
    struct mpdata_raw_file file;
    const struct mpdata_raw *raw;

    (void)state;
    assert_int_equal(
        read_text("heap profile: 1: 1 [1: 1] @ heapprofile\n"
                  "1: 1 [1: 1] @ 0x401001 0x601001\n"
                  "MAPPED_LIBRARIES:\n"
                  "build=/x/longer than the name\n"
                  "  00400000-00500000: $build/my prog (@1000)\n"
                  "  00500000-00510000: $build/my prog (@101000) 5f2a\n"
                  "  00600000-00700000: /x/lib.so (@2000) abcdef0123\n"
                  "  00700000-00800000: $other\n",
                  &file),
        MPROF_E_OK);
    raw = &file.dumps[0];
    assert_int_equal(raw->module_count, 3);
    assert_string_equal(raw->modules[0].path.bytes,
                        "/x/longer than the name/my prog");
    assert_string_equal(raw->modules[1].path.bytes, "/x/lib.so");
    assert_string_equal(raw->modules[2].path.bytes, "$other");
    assert_int_equal(raw->segment_count, 4);
    assert_int_equal(raw->frames[raw->nodes[1].frame].module, 1);
    assert_int_equal(raw->frames[raw->nodes[1].frame].address, 0x2000);
    assert_int_equal(raw->frames[raw->nodes[0].frame].address, 0x3000);
    mpdata_raw_file_free(&file);
}

/* Bytes without a block count as one; allocated blocks stay fewer than live
 * ones if the file has them so. */
static void test_kept(void **state)
{
    struct mpdata_raw_file file;
    const struct mpdata_raw *raw;

    (void)state;
    assert_int_equal(read_text("heap profile: 4: 900 [2: 700] @ heapprofile\n"
                               "0: 500 [0: 500] @ 0x401000\n"
                               "4: 400 [2: 200] @ 0x402000\n"
                               "0: 0 [0: 0] @ 0x403000\n",
                               &file),
                     MPROF_E_OK);
    raw = &file.dumps[0];
    assert_int_equal(raw->context_count, 2);
    assert_int_equal(mpdata_raw_mib(raw, 0).AllocCount, 1);
    assert_int_equal(mpdata_raw_mib(raw, 0).TotalSize, 500);
    assert_int_equal(mpdata_raw_mib(raw, 0).LiveCount, 1);
    assert_int_equal(mpdata_raw_mib(raw, 1).AllocCount, 2);
    assert_int_equal(mpdata_raw_mib(raw, 1).TotalSize, 200);
    assert_int_equal(mpdata_raw_mib(raw, 1).LiveBytes, 400);
    mpdata_raw_file_free(&file);
}

/* A block of the size of the period is sampled with probability 1 - 1/e: 63.2
 * %. */
static void test_scaled(void **state)
{
    struct mpdata_raw_file file;
    const struct mpdata_raw *raw;

    (void)state;
    assert_int_equal(read_text("heap_v2/1000\n"
                               "  t*: 700: 632000 [0: 0]\n"
                               "  t0: 700: 632000 [0: 0]\n"
                               "@ 0x402011\n"
                               "  t*: 632: 632000 [0: 0]\n"
                               "  t0: 1: 1000 [0: 0]\n"
                               "  t1: 631: 631000 [0: 0]\n"
                               "@ 0x402021\n"
                               "  t*: 3: 300000000 [0: 0]\n" MAPS,
                               &file),
                     MPROF_E_OK);
    raw = &file.dumps[0];
    assert_int_equal(raw->kind, MPROF_RUN_FOREIGN_LIVE);
    assert_int_equal(raw->sample_period_bytes, 1000);
    assert_int_equal(raw->context_count, 2);
    /* 999.81 */
    assert_int_equal(mpdata_raw_mib(raw, 0).AllocCount, 999);
    assert_int_equal(mpdata_raw_mib(raw, 0).TotalSize, 999809);
    assert_int_equal(mpdata_raw_mib(raw, 1).AllocCount, 3);
    assert_int_equal(mpdata_raw_mib(raw, 1).LiveBytes, 300000000);
    mpdata_raw_file_free(&file);
}

/* What tcmalloc took from the system; pprof ignores the brackets. */
static void test_growth(void **state)
{
    struct mpdata_raw_file file;

    (void)state;
    assert_int_equal(read_text("heap profile: 1: 9 [3: 27] @ growthz/1\n"
                               "1: 9 [3: 27] @ 0x1\n",
                               &file),
                     MPROF_E_OK);
    assert_int_equal(file.dumps[0].kind, MPROF_RUN_FOREIGN_LIVE);
    assert_int_equal(mpdata_raw_mib(&file.dumps[0], 0).AllocCount, 1);
    assert_int_equal(mpdata_raw_mib(&file.dumps[0], 0).TotalSize, 9);
    mpdata_raw_file_free(&file);
}

static void test_refused(void **state)
{
    static const char raw[] = "--- symbol\n0x1 f\n---\n--- profile\n\0\0\0\0";
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;

    (void)state;
    /* What google-pprof --raw writes. */
    assert_int_equal(mpdata_heap_text_read((const uint8_t *)raw,
                                           sizeof(raw) - 1, &file, &diag),
                     MPROF_E_UNSUPPORTED);
    expect_refused("heap_v2/x\n", MPROF_E_VALUE);
    expect_refused("heap profile: 1: 1 [ 1: 1] @ contentionz\n",
                   MPROF_E_UNSUPPORTED);
    expect_refused("heap profile: 1 1\n", MPROF_E_VALUE);
    expect_refused("heap_v2/1\n@ 0x1 main\n", MPROF_E_VALUE);
    expect_refused("heap_v2/1\n@ 0x11111111111111111\n", MPROF_E_VALUE);
    expect_refused("heap_v2/1\n@ 0x1\n  t*: 1: -5 [0: 0]\n", MPROF_E_VALUE);
    expect_refused("heap profile: 1: 1 [ 1: 1] @ heapprofile\n1: 1 @ 0x1\n",
                   MPROF_E_VALUE);
}

#define GPERFTOOLS                                 \
    "heap profile: 2: 20 [ 3: 30] @ heapprofile\n" \
    "2: 20 [ 3: 30] @ 0x402011\n"
#define JEMALLOC "heap_v2/1\n  t*: 1: 8 [0: 0]\n"

/* Errors: a second profile, misplaced rows, a missing end. */
static void test_left_over(void **state)
{
    struct mpdata_raw_file file;

    (void)state;
    expect_refused(GPERFTOOLS GPERFTOOLS, MPROF_E_DUPLICATE);
    expect_refused(GPERFTOOLS MAPS GPERFTOOLS MAPS, MPROF_E_DUPLICATE);
    expect_refused(GPERFTOOLS MAPS "1: 1 [1: 1] @ 0x1\n", MPROF_E_DUPLICATE);
    /* The last line has no end. */
    expect_refused(GPERFTOOLS "MAPPED_LIBRARIES:\n"
                              "1-2 r-xp 0 0:0 1 /x" GPERFTOOLS,
                   MPROF_E_DUPLICATE);
    expect_refused(GPERFTOOLS "1: 1 [1: 1] @ 0x40", MPROF_E_TRUNCATED);
    expect_refused(JEMALLOC JEMALLOC, MPROF_E_DUPLICATE);
    expect_refused(JEMALLOC MAPS JEMALLOC, MPROF_E_DUPLICATE);
    expect_refused(JEMALLOC MAPS "  t0: 1: 8 [0: 0]\n", MPROF_E_DUPLICATE);
    expect_refused(JEMALLOC "@ 0x1\n  t0: 1: 8 [0: 0]\n", MPROF_E_VALUE);
    expect_refused(JEMALLOC "@ 0x1\n@ 0x2\n  t*: 1: 8 [0: 0]\n", MPROF_E_VALUE);
    expect_refused(JEMALLOC "@ 0x1\n" MAPS, MPROF_E_VALUE);
    expect_refused(JEMALLOC "  t*: 1: 8 [0: 0]\n", MPROF_E_VALUE);
    expect_refused(JEMALLOC "garbage\n", MPROF_E_VALUE);
    /* A thread name, and maps of another system. */
    assert_int_equal(read_text(JEMALLOC
                               "  t7: 1: 8 [0: 0] a thread\n\n--- Memory map:\n"
                               "0x400000 0x401000 1 0 0x0 r-x 1 0 0x1 COW\n"
                               "  build=/srv\n" MAPS,
                               &file),
                     MPROF_E_OK);
    assert_int_equal(file.dumps[0].module_count, 2);
    mpdata_raw_file_free(&file);
}

static void test_detected(void **state)
{
    (void)state;
    assert_true(is("heap_v2/524288\n"));
    assert_true(is("heap profile: 1: 1 [ 1: 1] @ heapprofile\n"));
    assert_false(is("heap"));
    assert_false(is(" heap profile:"));
    assert_false(is(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),    cmocka_unit_test(test_brief_maps),
        cmocka_unit_test(test_kept),      cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_growth),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_left_over), cmocka_unit_test(test_detected)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
