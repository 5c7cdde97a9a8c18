/* index_read_test.c -- tests reading of indexed files, mainly damaged ones.
 *
 * malloc, calloc and realloc are wrapped (the linker's --wrap): the test
 * measures the readers' requests and can let a chosen one fail.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#include "shared/container.h"
#include "shared/le.h"
#include "shared/table.h"

/* Memory in proportion to the file: a row of the smallest kind becomes a
 * context with its MIB, and arrays grow by doubling. */
#define BYTES_PER_FILE_BYTE 2000u
#define BYTES_FIXED (4u << 20)

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);

static uint64_t asked_bytes;
static uint64_t asked_count;
static uint64_t failing_request = UINT64_MAX;

static bool is_refused(size_t size)
{
    asked_bytes = mprof_add_sat_u64(asked_bytes, size);
    return asked_count++ == failing_request;
}

void *__wrap_malloc(size_t size)
{
    return is_refused(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused(mprof_mul_sat_u64(count, size))
               ? NULL
               : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return is_refused(size) ? NULL : __real_realloc(p, size);
}

static const struct mpdata_index_options uncompressed = {.uncompressed = true};

static void make_file(struct mprof_buf *file, uint64_t seed, unsigned contexts,
                      const struct mpdata_index_options *options)
{
    struct mpdata_profile *p = gen_profile(seed, contexts);

    assert_int_equal(gen_write(p, options, file), MPROF_E_OK);
    mpdata_profile_free(p);
}

/* Reads a file and checks that the requested memory is in proportion. */
static enum mprof_err read_measured(const uint8_t *data, size_t size,
                                    bool verify, struct mpdata_profile *into)
{
    enum mprof_err err;

    asked_bytes = 0;
    err = gen_read(data, size, verify, into, NULL);
    assert_true(asked_bytes <= BYTES_FIXED + BYTES_PER_FILE_BYTE * size);
    return err;
}

static void a_file_reads_back_as_written(void **state)
{
    static const struct mpdata_index_options all[] = {
        {.full_schema = false}, {.full_schema = true}, {.uncompressed = true}};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(all); i++) {
        struct mpdata_profile *p = mpdata_profile_new();
        struct mprof_buf file;
        struct mprof_buf again;

        make_file(&file, 5, 200, &all[i]);
        assert_int_equal(gen_read(file.data, file.size, true, p, NULL),
                         MPROF_E_OK);
        assert_int_equal(gen_write(p, &all[i], &again), MPROF_E_OK);
        assert_int_equal(again.size, file.size);
        assert_memory_equal(again.data, file.data, file.size);
        mpdata_heapbuf_fini(&again);
        mpdata_heapbuf_fini(&file);
        mpdata_profile_free(p);
    }
}

static void an_empty_profile_reads_back(void **state)
{
    struct mpdata_profile *empty = mpdata_profile_new();
    struct mpdata_profile *p = mpdata_profile_new();
    struct mprof_buf file;

    (void)state;
    assert_int_equal(gen_write(empty, NULL, &file), MPROF_E_OK);
    assert_int_equal(gen_read(file.data, file.size, true, p, NULL), MPROF_E_OK);
    assert_int_equal(mpdata_profile_view(p).context_count, 0);
    mpdata_heapbuf_fini(&file);
    mpdata_profile_free(p);
    mpdata_profile_free(empty);
}

/* LLVM's part alone is a complete file of LLVM's. */
static void a_file_cut_where_our_part_starts_is_cut(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mprof_diag diag;
    struct mprof_buf file;
    uint64_t size;

    (void)state;
    make_file(&file, 6, 3, &uncompressed);
    size = mprof_le_load64(file.data + 16);
    assert_in_range(size, 100, file.size - 1);
    assert_int_equal(gen_read(file.data, size, true, p, &diag),
                     MPROF_E_TRUNCATED);
    assert_int_equal(diag.offset, size);
    mpdata_heapbuf_fini(&file);
    mpdata_profile_free(p);
}

static void other_files_are_told_apart(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(gen_read("", 0, true, p, &diag), MPROF_E_EMPTY);
    assert_int_equal(gen_read("text", 4, true, p, &diag), MPROF_E_MAGIC);
    assert_int_equal(
        gen_read("\xfflprofi\x81\x0d\0\0\0\0\0\0\0", 16, true, p, &diag),
        MPROF_E_NO_MEMPROF);
    assert_int_equal(
        gen_read("\xfflprofi\x81\x63\0\0\0\0\0\0\x40", 16, true, p, &diag),
        MPROF_E_VERSION);
    assert_int_equal(diag.offset, 8);
    mpdata_profile_free(p);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    struct mprof_buf file;

    (void)state;
    make_file(&file, 6, 4, NULL);
    for (size_t size = 0; size < file.size; size++) {
        struct mpdata_profile *p = mpdata_profile_new();
        uint8_t *copy = __real_malloc(size + 1);

        memcpy(copy, file.data, size);
        assert_int_not_equal(read_measured(copy, size, true, p), MPROF_E_OK);
        assert_int_equal(mpdata_profile_view(p).context_count, 0);
        free(copy);
        mpdata_profile_free(p);
    }
    mpdata_heapbuf_fini(&file);
}

/* With checksums a flipped bit is an error, or it is in unused bytes and
 * changes nothing. */
static void a_flipped_bit_is_noticed_or_harmless(void **state)
{
    struct mprof_buf file;

    (void)state;
    make_file(&file, 7, 3, &uncompressed);
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        struct mpdata_profile *p = mpdata_profile_new();
        struct mprof_buf again;

        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (read_measured(file.data, file.size, true, p) == MPROF_E_OK) {
            file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_int_equal(gen_write(p, &uncompressed, &again), MPROF_E_OK);
            assert_int_equal(again.size, file.size);
            assert_memory_equal(again.data, file.data, file.size);
            mpdata_heapbuf_fini(&again);
        } else {
            file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_int_equal(mpdata_profile_view(p).context_count, 0);
        }
        mpdata_profile_free(p);
    }
    mpdata_heapbuf_fini(&file);
}

/* Without checksums damage reaches the tables: an accepted file must be
 * usable. */
static void damage_behind_the_checksums_is_survived(void **state)
{
    static const struct mpdata_index_options options[] = {
        {.uncompressed = true}, {.full_schema = false}, {.llvm_only = true}};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(options); i++) {
        uint64_t accepted = 0;
        struct mprof_buf file;

        make_file(&file, 8, 3, &options[i]);
        for (size_t bit = 0; bit < 8 * file.size; bit++) {
            struct mpdata_profile *p = mpdata_profile_new();
            struct mprof_buf again;

            file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (read_measured(file.data, file.size, false, p) == MPROF_E_OK) {
                accepted++;
                assert_int_equal(gen_write(p, &uncompressed, &again),
                                 MPROF_E_OK);
                mpdata_heapbuf_fini(&again);
            }
            file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            mpdata_profile_free(p);
        }
        assert_true(accepted > 100);
        assert_true(accepted < 8 * file.size);
        mpdata_heapbuf_fini(&file);
    }
}

static void random_damage_is_survived(void **state)
{
    struct gen g = {.state = 99};
    struct mprof_buf file;
    uint8_t *copy;

    (void)state;
    make_file(&file, 9, 20, &uncompressed);
    copy = __real_malloc(file.size);
    for (int trial = 0; trial < 2000; trial++) {
        struct mpdata_profile *p = mpdata_profile_new();
        struct mprof_buf again;

        memcpy(copy, file.data, file.size);
        for (uint64_t i = gen_below(&g, 8) + 1; i > 0; i--)
            copy[gen_below(&g, file.size)] =
                (uint8_t)(gen_below(&g, 2) ? gen_next(&g) : 0xff);
        if (read_measured(copy, file.size, false, p) == MPROF_E_OK) {
            assert_int_equal(gen_write(p, &uncompressed, &again), MPROF_E_OK);
            mpdata_heapbuf_fini(&again);
        }
        mpdata_profile_free(p);
    }
    free(copy);
    mpdata_heapbuf_fini(&file);
}

/* Lets the first, second, ... request fail until a run needs no more
 * requests. */
static void every_failed_allocation_is_reported(void **state)
{
    struct mprof_buf file;
    struct mprof_buf again;
    uint64_t n;

    (void)state;
    make_file(&file, 10, 20, NULL);
    for (n = 0;; n++) {
        struct mpdata_profile *p = mpdata_profile_new();
        enum mprof_err err;

        asked_count = 0;
        failing_request = n;
        err = gen_read(file.data, file.size, true, p, NULL);
        if (err == MPROF_E_OK)
            err = gen_write(p, NULL, &again);
        else
            mpdata_heapbuf_init(&again);
        failing_request = UINT64_MAX;
        if (err == MPROF_E_OK && asked_count <= n)
            break;
        if (err != MPROF_E_NOMEM && err != MPROF_E_CODEC)
            fail_msg("request %lu: %s", (unsigned long)n, mprof_err_text(err));
        /* libzstd's failures become the error CODEC. */
        assert_true(err == MPROF_E_NOMEM || err == MPROF_E_CODEC);
        mpdata_heapbuf_fini(&again);
        mpdata_profile_free(p);
    }
    assert_true(n > 20);
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.data, file.data, file.size);
    mpdata_heapbuf_fini(&again);
    mpdata_heapbuf_fini(&file);
}

/* The writer accepts any row; the reader refuses the file. */
static void assert_refused(const struct mpdata_run *run,
                           const struct mpdata_tagged *part)
{
    const struct mprof_mib mib = {.AllocCount = 1, .TotalSize = 1};
    struct mpdata_profile *written = gen_profile(5, 20);
    struct mpdata_profile *p = mpdata_profile_new();
    struct mprof_diag diag;
    struct mprof_buf file;

    if (run != NULL)
        mpdata_profile_run(written, run);
    if (part != NULL)
        mpdata_profile_tagged(written, part, &mib);
    assert_int_equal(gen_write(written, NULL, &file), MPROF_E_OK);
    assert_int_equal(gen_read(file.data, file.size, true, p, &diag),
                     MPROF_E_VALUE);
    mpdata_heapbuf_fini(&file);
    mpdata_profile_free(p);
    mpdata_profile_free(written);
}

static void rows_that_no_writer_has_are_refused(void **state)
{
    const struct mpdata_run run = {
        .run_id = 99, .count = 1, .has_other_malloc = 2};
    const struct mpdata_tagged part = {.kind = MPROF_TAG_LEFT_OUT, .node = 1};

    (void)state;
    assert_refused(&run, NULL);
    assert_refused(NULL, &part);
}

static void open_directory(const struct mprof_buf *file, struct mprof_dir *dir,
                           uint64_t *dir_off)
{
    memcpy(dir_off, file->data + file->size - MPROF_TRAILER_BYTES, 8);
    assert_int_equal(
        mprof_dir_read(dir, file->data, file->size, *dir_off,
                       MPROF_INDEX_EXT_MAGIC, MPROF_INDEX_EXT_VERSION,
                       MPROF_INDEX_EXT_VERSION, false, "dir", NULL),
        MPROF_E_OK);
}

/* Corrects the checksums. */
static void seal(struct mprof_buf *file)
{
    struct mprof_dir dir;
    uint64_t dir_off = 0;

    open_directory(file, &dir, &dir_off);
    for (uint32_t i = 0; i < dir.section_count; i++)
        dir.sections[i].checksum =
            mprof_checksum(file->data + dir.sections[i].offset,
                           (size_t)dir.sections[i].stored_bytes);
    mprof_dir_write(&dir, file->data + dir_off);
}

/* Sets all rows of a column to the value of row `from`. */
static void fill_column(struct mprof_buf *file, uint32_t section, uint32_t tag,
                        uint64_t from)
{
    struct mprof_table table;
    struct mprof_column column;
    struct mprof_dir dir;
    const struct mprof_section *s;
    uint64_t dir_off = 0;
    uint8_t *rows;

    open_directory(file, &dir, &dir_off);
    s = mprof_dir_find(&dir, section);
    assert_int_equal(mprof_table_open(&table, file->data + s->offset,
                                      (size_t)s->stored_bytes, 0, "table",
                                      NULL),
                     MPROF_E_OK);
    column = mprof_table_column(&table, tag);
    assert_true(column.width != 0);
    rows = file->data + (column.data - file->data);
    for (uint64_t i = 0; i < column.rows; i++)
        memmove(rows + i * column.width, rows + from * column.width,
                column.width);
    seal(file);
}

/* A file with valid checksums may contain anything: here all call stacks are
 * the same. */
static void rows_that_are_one_are_refused(void **state)
{
    static const struct {
        uint32_t section;
        uint32_t tag;
    } columns[] = {{MPROF_INDEX_CONTEXTS, MPROF_INDEX_CONTEXTS_NODE},
                   {MPROF_INDEX_NODES, MPROF_INDEX_NODES_ENTRY},
                   {MPROF_INDEX_ENTRIES, MPROF_INDEX_ENTRIES_PLACE}};
    const struct mpdata_index_options options = {.uncompressed = true};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(columns); i++) {
        struct mpdata_profile *written = gen_profile(11, 40);
        struct mpdata_profile *p = mpdata_profile_new();
        struct mprof_diag diag;
        struct mprof_buf file;

        assert_int_equal(gen_write(written, &options, &file), MPROF_E_OK);
        fill_column(&file, columns[i].section, columns[i].tag, 4);
        assert_int_not_equal(gen_read(file.data, file.size, true, p, &diag),
                             MPROF_E_OK);
        assert_non_null(diag.section);
        mpdata_heapbuf_fini(&file);
        mpdata_profile_free(p);
        mpdata_profile_free(written);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_reads_back_as_written),
        cmocka_unit_test(an_empty_profile_reads_back),
        cmocka_unit_test(a_file_cut_where_our_part_starts_is_cut),
        cmocka_unit_test(other_files_are_told_apart),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_flipped_bit_is_noticed_or_harmless),
        cmocka_unit_test(damage_behind_the_checksums_is_survived),
        cmocka_unit_test(random_damage_is_survived),
        cmocka_unit_test(rows_that_no_writer_has_are_refused),
        cmocka_unit_test(rows_that_are_one_are_refused),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
