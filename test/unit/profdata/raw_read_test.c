/* raw_read_test.c -- tests reading of our raw format, valid and damaged.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/raw/raw.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/raw_build.h"

#define SECTION_COUNT 9

/* Strings: "", "/app", "id", "x". One binary, three frames, a tree of three
 * nodes, two contexts, one of which has a histogram. */
static const struct raw_table good[SECTION_COUNT] = {
    {MPROF_RAW_META,
     {1, 2, 3},
     3,
     3,
     {MPROF_RAW_META_IS_RUN_ID, 42, 0, MPROF_RAW_META_IS_EXECUTABLE, 0, 1, 999,
      5, 0},
     NULL},
    {MPROF_RAW_STRINGS, {1, 2}, 2, 4, {0, 4, 6, 7}, "/appidx"},
    {MPROF_RAW_MODULES,
     {1, 2, 3, 4},
     4,
     1,
     {1, 2, 0x1000, MPROF_RAW_MODULE_FL_MAIN},
     NULL},
    {MPROF_RAW_SEGMENTS, {1, 2, 3, 4}, 4, 1, {0, 0x1000, 0x3000, 0}, NULL},
    {MPROF_RAW_FRAMES, {1, 2}, 2, 3, {0, 0x99, 1, 0x10, 1, 0x20}, NULL},
    {MPROF_RAW_NODES, {1, 2}, 2, 3, {0, 2, 1, 1, 2, 0}, NULL},
    {MPROF_RAW_CONTEXTS,
     {MPROF_MIB_TAG_AllocCount, MPROF_MIB_TAG_TotalSize,
      MPROF_MIB_TAG_AccessHistogramSize, 77777, MPROF_RAW_CONTEXTS_NODE,
      MPROF_RAW_CONTEXTS_FLAGS},
     6,
     2,
     {7, 700, 1 << 20, 1, 2, 0, 1, 10, 3, 1, 3, 1},
     NULL},
    {MPROF_RAW_HISTOGRAMS, {1, 2}, 2, 2, {0, 1, 1, 4}, NULL},
    {MPROF_RAW_CELLS, {1, 2}, 2, 4, {9, 0, 10, 7, 0, 900, 12, 91}, NULL},
};

/* The valid tables except for the one that replaces one of them. A file that
 * was read points to its bytes: they stay until the next one. */
static enum mprof_err read_with(const struct raw_table *other, bool compress,
                                struct mpdata_raw_file *file,
                                struct mprof_diag *diag)
{
    const struct raw_table *tables[SECTION_COUNT];
    static struct mprof_buf out;

    mpdata_heapbuf_fini(&out);
    for (size_t i = 0; i < SECTION_COUNT; i++)
        tables[i] = other != NULL && other->id == good[i].id ? other : &good[i];
    raw_build(&out, tables, SECTION_COUNT, compress);
    return mpdata_raw_file_read(out.data, out.size, true, file, diag);
}

/* A histogram of two spans; one without any access. */
static void check_cells(const struct mpdata_raw *raw)
{
    static const uint64_t words[] = {7, 1, 10, 1000, 1, 12};
    const struct mpdata_cells cells = mpdata_raw_cells(raw, 0);

    assert_int_equal(cells.count, MPROF_ARRAY_LEN(words));
    assert_memory_equal(cells.words, words, sizeof(words));
    assert_non_null(mpdata_raw_cells(raw, 1).words);
    assert_int_equal(mpdata_raw_cells(raw, 1).count, 0);
}

static void check_good(const struct mpdata_raw *raw)
{
    assert_int_equal(raw->kind, MPROF_RUN_MEMPROF);
    assert_int_equal(raw->numbers[MPROF_RAW_META_IS_RUN_ID], 42);
    assert_string_equal(raw->texts[MPROF_RAW_META_IS_EXECUTABLE].bytes, "/app");
    assert_int_equal(raw->module_count, 1);
    assert_string_equal(raw->modules[0].path.bytes, "/app");
    assert_string_equal(raw->modules[0].build_id.bytes, "id");
    assert_int_equal(raw->segments[0].end, 0x3000);
    assert_int_equal(raw->frames[0].module, 0);
    assert_int_equal(raw->frames[2].address, 0x20);
    assert_int_equal(raw->nodes[0].parent, 0);
    assert_int_equal(raw->nodes[1].parent, 1);
    assert_int_equal(raw->nodes[2].parent, 1);
    assert_int_equal(raw->context_count, 2);
    assert_int_equal(raw->contexts[0].node, 2);
    assert_int_equal(mpdata_raw_mib(raw, 0).TotalSize, 700);
    check_cells(raw);
    assert_int_equal(raw->contexts[1].flags, 1);
}

static void reads_names_of_threads(void **state)
{
    struct raw_table contexts = {
        MPROF_RAW_CONTEXTS,
        {MPROF_MIB_TAG_AllocCount, MPROF_MIB_TAG_AccessHistogramSize,
         MPROF_RAW_CONTEXTS_NODE, MPROF_RAW_CONTEXTS_THREAD},
        4,
        2,
        {7, 1 << 20, 2, 1, 1, 3, 3, 3},
        NULL};
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;
    const struct mpdata_raw *raw;

    (void)state;
    assert_int_equal(read_with(NULL, false, &file, &diag), MPROF_E_OK);
    assert_false(file.dumps[0].has_threads);
    mpdata_raw_file_free(&file);
    assert_int_equal(read_with(&contexts, false, &file, &diag), MPROF_E_OK);
    raw = &file.dumps[0];
    assert_true(raw->has_threads);
    assert_string_equal(raw->string_table[raw->contexts[0].thread].bytes,
                        "/app");
    assert_string_equal(raw->string_table[raw->contexts[1].thread].bytes, "x");
    mpdata_raw_file_free(&file);
    contexts.values[7] = 4; /* there are four strings */
    assert_int_equal(read_with(&contexts, false, &file, &diag),
                     MPROF_E_REFERENCE);
}

static void reads_every_section_plain_and_compressed(void **state)
{
    (void)state;
    for (int compress = 0; compress < 2; compress++) {
        struct mpdata_raw_file file;
        struct mprof_diag diag;

        assert_int_equal(read_with(NULL, compress != 0, &file, &diag), 0);
        assert_int_equal(file.count, 1);
        check_good(&file.dumps[0]);
        mpdata_raw_file_free(&file);
    }
}

/* A table like the valid one with one value changed, and the expected
 * message. */
struct bad {
    uint32_t id;
    size_t value;
    uint64_t number;
    const char *section;
    const char *column;
};

static void refuses_every_reference_outside(void **state)
{
    static const struct bad bads[] = {
        {MPROF_RAW_META, 5, 4, "raw META", "STRING"},
        {MPROF_RAW_STRINGS, 2, 3, "raw STRINGS", "END"},
        {MPROF_RAW_STRINGS, 3, 8, "raw STRINGS", "END"},
        {MPROF_RAW_MODULES, 0, 4, "raw MODULES", "PATH"},
        {MPROF_RAW_MODULES, 1, 4, "raw MODULES", "BUILD_ID"},
        {MPROF_RAW_SEGMENTS, 0, 1, "raw SEGMENTS", "MODULE"},
        {MPROF_RAW_FRAMES, 0, 2, "raw FRAMES", "MODULE"},
        {MPROF_RAW_NODES, 0, 1, "raw NODES", "UP"},
        {MPROF_RAW_NODES, 1, 3, "raw NODES", "FRAME"},
        {MPROF_RAW_CONTEXTS, 4, 4, "raw CONTEXTS", "NODE"},
        {MPROF_RAW_HISTOGRAMS, 0, 2, "raw HISTOGRAMS", "CONTEXT"},
        {MPROF_RAW_HISTOGRAMS, 0, 1, "raw CELLS", "SKIP"},
        {MPROF_RAW_HISTOGRAMS, 2, 2, "raw HISTOGRAMS", "CONTEXT"},
        {MPROF_RAW_HISTOGRAMS, 2, 0, "raw HISTOGRAMS", "CONTEXT"},
        {MPROF_RAW_HISTOGRAMS, 1, 5, "raw HISTOGRAMS", "FIRST"},
        {MPROF_RAW_HISTOGRAMS, 3, 0, "raw HISTOGRAMS", "FIRST"},
        {MPROF_RAW_HISTOGRAMS, 3, UINT64_MAX, "raw HISTOGRAMS", "FIRST"},
        {MPROF_RAW_CELLS, 3, 1 << 20, "raw CELLS", "SKIP"},
        {MPROF_RAW_CELLS, 3, UINT64_MAX, "raw CELLS", "SKIP"},
        {MPROF_RAW_CELLS, 7, (1 << 20) - 909, "raw CELLS", "SKIP"},
        {MPROF_RAW_CELLS, 7, UINT64_MAX - 908, "raw CELLS", "SKIP"},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(bads); i++) {
        struct raw_table table = good[bads[i].id - 1];
        struct mpdata_raw_file file = {.dumps = NULL};
        struct mprof_diag diag;

        table.values[bads[i].value] = bads[i].number;
        assert_int_equal(read_with(&table, false, &file, &diag),
                         MPROF_E_REFERENCE);
        assert_string_equal(diag.section, bads[i].section);
        assert_non_null(strstr(diag.text, bads[i].column));
        assert_null(file.dumps);
    }
}

/* Histograms must not share cells or have two offsets: so together they have no
 * more cells than there are. */
static void refuses_histograms_that_overlap(void **state)
{
    static const uint64_t rows[][4] = {
        {0, 1, 1, 0}, {0, 99, 1, 99}, {1, 0, 0, 2}, {0, 0, 0, 2}};
    struct raw_table contexts = good[MPROF_RAW_CONTEXTS - 1];
    struct raw_table histograms = good[MPROF_RAW_HISTOGRAMS - 1];

    (void)state;
    contexts.values[2] = contexts.values[8] = 1 << 20; /* sizes of both */
    histograms.rows = 2;
    for (size_t i = 0; i <= MPROF_ARRAY_LEN(rows); i++) {
        static const uint64_t apart[] = {0, 0, 1, 2};
        const struct raw_table *tables[SECTION_COUNT];
        const bool is_good = i == MPROF_ARRAY_LEN(rows);
        struct mpdata_raw_file file = {.dumps = NULL};
        struct mprof_diag diag;
        struct mprof_buf out;

        memcpy(histograms.values, is_good ? apart : rows[i], sizeof(apart));
        for (size_t k = 0; k < SECTION_COUNT; k++)
            tables[k] = good[k].id == contexts.id     ? &contexts
                        : good[k].id == histograms.id ? &histograms
                                                      : &good[k];
        raw_build(&out, tables, SECTION_COUNT, false);
        assert_int_equal(
            mpdata_raw_file_read(out.data, out.size, true, &file, &diag),
            is_good ? MPROF_E_OK : MPROF_E_REFERENCE);
        if (!is_good)
            assert_string_equal(diag.section, "raw HISTOGRAMS");
        mpdata_raw_file_free(&file);
        mpdata_heapbuf_fini(&out);
    }
}

static void refuses_flags_that_there_are_not(void **state)
{
    static const struct bad bads[] = {
        {MPROF_RAW_MODULES, 3, 2 * MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED,
         "raw MODULES", "FLAGS"},
        {MPROF_RAW_MODULES, 3, UINT64_C(1) << 32, "raw MODULES", "FLAGS"},
        {MPROF_RAW_CONTEXTS, 5, 2 * MPROF_RAW_CONTEXT_FL_LIVE, "raw CONTEXTS",
         "FLAGS"},
        {MPROF_RAW_CONTEXTS, 11, UINT64_C(1) << 32, "raw CONTEXTS", "FLAGS"},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(bads); i++) {
        struct raw_table table = good[bads[i].id - 1];
        struct mpdata_raw_file file = {.dumps = NULL};
        struct mprof_diag diag;

        table.values[bads[i].value] = bads[i].number;
        assert_int_equal(read_with(&table, false, &file, &diag), MPROF_E_VALUE);
        assert_string_equal(diag.section, bads[i].section);
        assert_non_null(strstr(diag.text, bads[i].column));
    }
}

/* A column of equal values takes no bytes, so rows cost a writer nothing. */
static void refuses_rows_that_no_byte_backs(void **state)
{
    struct raw_table table = good[MPROF_RAW_FRAMES - 1];
    struct mpdata_raw_file file;
    struct mprof_diag diag;

    (void)state;
    table.tag_count = 1;
    table.rows = 32;
    memset(table.values, 0, sizeof(table.values));
    assert_int_equal(read_with(&table, false, &file, &diag), MPROF_E_OK);
    mpdata_raw_file_free(&file);
    /* About 32 rows are as many as the table has bytes; the test patches the
     * number of rows to get more. */
    {
        const struct raw_table *tables[SECTION_COUNT];
        struct mprof_buf out;
        struct mprof_dir dir;
        const struct mprof_section *place;

        for (size_t i = 0; i < SECTION_COUNT; i++)
            tables[i] = good[i].id == table.id ? &table : &good[i];
        raw_build(&out, tables, SECTION_COUNT, false);
        assert_int_equal(mprof_dir_read(&dir, out.data, out.size, 0,
                                        MPROF_RAW_MAGIC, MPROF_RAW_VERSION,
                                        MPROF_RAW_VERSION, true, "raw", &diag),
                         0);
        place = mprof_dir_find(&dir, MPROF_RAW_FRAMES);
        mprof_le_store(out.data + place->offset, UINT64_C(1) << 40, 8);
        assert_int_not_equal(
            mpdata_raw_file_read(out.data, out.size, false, &file, &diag), 0);
        assert_string_equal(diag.section, "raw FRAMES");
        mpdata_heapbuf_fini(&out);
    }
}

/* Equal rows, backed by a byte each, that take more memory than a file of that
 * size may. */
static void refuses_many_rows_of_few_bytes(void **state)
{
    static const uint32_t ids[] = {MPROF_RAW_MODULES, MPROF_RAW_FRAMES,
                                   MPROF_RAW_CONTEXTS};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(ids); i++) {
        struct raw_table table = good[ids[i] - 1];
        const size_t columns = table.tag_count;
        struct mpdata_raw_file file;
        struct mprof_diag diag;

        for (size_t k = columns; k < MPROF_ARRAY_LEN(table.values); k++)
            table.values[k] = table.values[k - columns];
        table.rows = UINT64_C(1) << 19;
        assert_int_equal(read_with(&table, true, &file, &diag), MPROF_E_OK);
        mpdata_raw_file_free(&file);
        table.rows++;
        assert_int_equal(read_with(&table, true, &file, &diag), MPROF_E_VALUE);
        assert_string_equal(diag.section, mprof_raw_section_name(ids[i]));
    }
}

/* A deep tree with a leaf that many rows refer to: each row is a long call
 * stack. */
static void refuses_more_frames_than_its_bytes_allow(void **state)
{
    struct raw_table nodes = {MPROF_RAW_NODES, {1, 2}, 2, 0, {0}, NULL};
    struct raw_table contexts = {MPROF_RAW_CONTEXTS,
                                 {MPROF_MIB_TAG_AllocCount,
                                  MPROF_MIB_TAG_TotalSize,
                                  MPROF_RAW_CONTEXTS_NODE},
                                 3,
                                 0,
                                 {0},
                                 NULL};
    static const uint64_t depths[] = {250, 60000};

    (void)state;
    for (size_t i = 1; i < 16; i++)
        nodes.values[2 * i] = 1;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(depths); i++) {
        const struct raw_table *tables[] = {&good[0], &good[1], &good[2],
                                            &good[3], &good[4], &nodes,
                                            &contexts};
        struct mpdata_raw_file file;
        struct mprof_diag diag;
        struct mprof_buf out;
        enum mprof_err err;

        nodes.rows = depths[i];
        contexts.rows = 40000;
        for (size_t k = 0; k < 10; k++) {
            contexts.values[3 * k] = 1;
            contexts.values[3 * k + 2] = depths[i];
        }
        raw_build(&out, tables, MPROF_ARRAY_LEN(tables), true);
        err = mpdata_raw_file_read(out.data, out.size, true, &file, &diag);
        assert_int_equal(err, i == 0 ? MPROF_E_OK : MPROF_E_VALUE);
        if (err == MPROF_E_OK)
            mpdata_raw_file_free(&file);
        else
            assert_string_equal(diag.section, "raw NODES");
        mpdata_heapbuf_fini(&out);
    }
}

static void refuses_every_flipped_byte(void **state)
{
    const struct raw_table *tables[SECTION_COUNT];
    struct mprof_buf out;

    (void)state;
    for (size_t i = 0; i < SECTION_COUNT; i++)
        tables[i] = &good[i];
    raw_build(&out, tables, SECTION_COUNT, true);
    for (size_t i = 0; i < out.size; i++) {
        struct mpdata_raw_file file = {.dumps = NULL};
        struct mprof_diag diag;
        const uint8_t old = out.data[i];

        /* With checksums every change except of padding is found. Without, the
         * worst is an error. */
        out.data[i] = (uint8_t)~old;
        if (mpdata_raw_file_read(out.data, out.size, true, &file, &diag) == 0) {
            check_good(&file.dumps[0]);
            mpdata_raw_file_free(&file);
        }
        if (mpdata_raw_file_read(out.data, out.size, false, &file, &diag) == 0)
            mpdata_raw_file_free(&file);
        out.data[i] = old;
    }
    mpdata_heapbuf_fini(&out);
}

static void refuses_every_cut(void **state)
{
    const struct raw_table *tables[SECTION_COUNT];
    struct mprof_buf out;

    (void)state;
    for (size_t i = 0; i < SECTION_COUNT; i++)
        tables[i] = &good[i];
    raw_build(&out, tables, SECTION_COUNT, false);
    for (size_t size = 0; size < out.size; size++) {
        struct mpdata_raw_file file;
        struct mprof_diag diag;

        assert_int_not_equal(
            mpdata_raw_file_read(out.data, size, true, &file, &diag), 0);
    }
    mpdata_heapbuf_fini(&out);
}

static void names_a_missing_section(void **state)
{
    const struct raw_table *tables[SECTION_COUNT];
    struct mpdata_raw_file file;
    struct mprof_diag diag;
    struct mprof_buf out;

    (void)state;
    for (size_t i = 0; i < SECTION_COUNT; i++)
        tables[i] = &good[i];
    tables[MPROF_RAW_NODES - 1] = &good[MPROF_RAW_CONTEXTS - 1];
    raw_build(&out, tables, 6, false);
    assert_int_equal(
        mpdata_raw_file_read(out.data, out.size, true, &file, &diag),
        MPROF_E_MISSING);
    assert_string_equal(diag.section, "raw NODES");
    mpdata_heapbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_names_of_threads),
        cmocka_unit_test(reads_every_section_plain_and_compressed),
        cmocka_unit_test(refuses_every_reference_outside),
        cmocka_unit_test(refuses_histograms_that_overlap),
        cmocka_unit_test(refuses_flags_that_there_are_not),
        cmocka_unit_test(refuses_rows_that_no_byte_backs),
        cmocka_unit_test(refuses_many_rows_of_few_bytes),
        cmocka_unit_test(refuses_more_frames_than_its_bytes_allow),
        cmocka_unit_test(refuses_every_flipped_byte),
        cmocka_unit_test(refuses_every_cut),
        cmocka_unit_test(names_a_missing_section),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
