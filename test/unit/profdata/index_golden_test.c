/* index_golden_test.c -- checks that indexed files of all versions are still
 * readable, and that the writer still makes the same bytes from their content.
 *
 * With MPTEST_GOLDEN_WRITE in the environment it writes the files, which is
 * right only for a new version of the format.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/cmocka_all.h"
#include "test/unit/golden_file.h"
#include "test/unit/profile_gen.h"

/* Each form that was ever written, the newest first: those that are written
 * alike. The first had 0 for the size of LLVM's part, no section TOTALS, and
 * did not say what profiling took. Version 1 did not say which dump of its run
 * a file was, nor count jumps out of handlers. Version 2 had all cells of
 * histograms and did not say what is instrumented, version 3 not what lived at
 * the peak, version 4 nothing of threads and events, no details and nothing
 * over time. Files up to "bursts" had a section TOTALS. A new field of the MIB
 * or of a run, or kind of details, is a form. */
static const struct {
    const char *name;
    size_t mib_fields;
    bool is_without_own_time;
    bool is_without_dumps;
    bool is_without_jumps;
    bool is_without_flags;
    bool has_all_cells;
    bool is_without_types;     /* and peaks: version 4 */
    bool is_without_parts;     /* and details: version 5 */
    uint32_t detail_kinds_end; /* 0: all kinds */
    bool is_without_resident;
} folders[] = {
    {"index-v5-threads", MPROF_MIB_FIELDS, false, false, false, false, false,
     false, false, 0, false},
    {"index-v5-duplicates", MPROF_MIB_FIELDS - 3, false, false, false, false,
     false, false, false, 0, false},
    {"index-v5-idle", MPROF_MIB_FIELDS - 3, false, false, false, false, false,
     false, false, MPROF_DETAIL_DUPLICATE, false},
    {"index-v5-resident", MPROF_MIB_FIELDS - 3, false, false, false, false,
     false, false, false, MPROF_DETAIL_IDLE, false},
    {"index-v5-links", MPROF_MIB_FIELDS - 3, false, false, false, false, false,
     false, false, MPROF_DETAIL_IDLE, true},
    {"index-v5-no-totals", MPROF_MIB_FIELDS - 3, false, false, false, false,
     false, false, false, MPROF_DETAIL_LINK, true},
    {"index-v5-bursts", MPROF_MIB_FIELDS - 3, false, false, false, false, false,
     false, false, MPROF_DETAIL_LINK, true},
    {"index-v5-unseen", MPROF_MIB_FIELDS - 5, false, false, false, false, false,
     false, false, MPROF_DETAIL_LINK, true},
    {"index-v5", MPROF_MIB_FIELDS - 6, false, false, false, false, false, false,
     false, MPROF_DETAIL_LINK, true},
    {"index-v4", 48, false, false, false, false, false, false, true,
     MPROF_DETAIL_LINK, true},
    {"index-v3", 33, false, false, false, false, false, true, true,
     MPROF_DETAIL_LINK, true},
    {"index-v2", 33, false, false, true, true, true, true, true,
     MPROF_DETAIL_LINK, true},
    {"index-v1-totals", 33, false, true, true, true, true, true, true,
     MPROF_DETAIL_LINK, true},
    {"index-v1", 33, true, true, true, true, true, true, true,
     MPROF_DETAIL_LINK, true},
};

/* Uncompressed, so that the bytes do not depend on the version of libzstd. */
static const struct {
    const char *name;
    uint64_t seed;
    unsigned contexts;
    struct mpdata_index_options options;
    size_t oldest; /* folder that has it, counted from the last */
} files[] = {
    {"empty.profdata", 0, 0, {.uncompressed = true}, 0},
    {"forty.profdata", 40, 40, {.uncompressed = true}, 0},
    {"full-schema.profdata",
     41,
     12,
     {.uncompressed = true, .full_schema = true},
     0},
    {"memprof-2.profdata",
     43,
     20,
     {.uncompressed = true, .memprof_version = 2},
     1},
    {"memprof-4.profdata",
     43,
     20,
     {.uncompressed = true, .memprof_version = 4},
     1},
    {"zstd.profdata", 42, 60, {.uncompressed = false}, 0},
};

static void write_golden(size_t i)
{
    struct mpdata_profile *p = gen_profile(files[i].seed, files[i].contexts);
    struct mprof_buf buf;
    char path[1024];
    FILE *file;

    assert_int_equal(gen_write(p, &files[i].options, &buf), MPROF_E_OK);
    golden_path(path, sizeof(path), folders[0].name, files[i].name);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(buf.data, 1, buf.size, file), buf.size);
    assert_int_equal(fclose(file), 0);
    mpdata_heapbuf_fini(&buf);
    mpdata_profile_free(p);
}

/* Folder k's file i. */
static void check_file(size_t k, size_t i)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_profile *made = gen_profile_of(
        (struct gen){.state = files[i].seed,
                     .mib_fields = folders[k].mib_fields,
                     .is_without_dumps = folders[k].is_without_dumps,
                     .is_without_own_time = folders[k].is_without_own_time,
                     .is_without_jumps = folders[k].is_without_jumps,
                     .has_all_cells = folders[k].has_all_cells,
                     .is_without_flags = folders[k].is_without_flags,
                     .is_without_peaks = folders[k].is_without_types,
                     .is_without_types = folders[k].is_without_types,
                     .is_without_parts = folders[k].is_without_parts,
                     .is_without_details = folders[k].is_without_parts,
                     .detail_kinds_end = folders[k].detail_kinds_end,
                     .is_without_resident = folders[k].is_without_resident},
        files[i].contexts);
    struct mprof_buf again;
    struct mprof_buf expected;
    size_t size;
    uint8_t *data = golden_read(folders[k].name, files[i].name, &size);

    assert_int_equal(gen_read(data, size, true, p, NULL), MPROF_E_OK);
    assert_int_equal(gen_write(p, &files[i].options, &again), MPROF_E_OK);
    if (k == 0 && files[i].options.uncompressed) {
        assert_int_equal(again.size, size);
        assert_memory_equal(again.data, data, size);
    }
    /* The content is still the profile of its seed. */
    assert_int_equal(gen_write(made, &files[i].options, &expected), MPROF_E_OK);
    assert_int_equal(again.size, expected.size);
    assert_memory_equal(again.data, expected.data, again.size);
    mpdata_heapbuf_fini(&expected);
    mpdata_heapbuf_fini(&again);
    mpdata_profile_free(made);
    mpdata_profile_free(p);
    free(data);
}

static void old_files_read_and_are_written_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(files); i++) {
        if (getenv("MPTEST_GOLDEN_WRITE") != NULL)
            write_golden(i);
        for (size_t k = 0; k < MPROF_ARRAY_LEN(folders) - files[i].oldest; k++)
            check_file(k, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_files_read_and_are_written_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
