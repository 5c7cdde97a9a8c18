/* counters_test.c -- tests PGO counters in files that no tool writes on demand.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/guid.h"
#include "profdata/llvm/chash.h"
#include "profdata/model/content.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

/* Functions with four names; their records are not parsed. */
static const char *const names[] = {"a", "f", "gee", "main"};

static uint64_t hash_name(const void *context, uint64_t i)
{
    (void)context;
    return mpdata_guid(names[i], strlen(names[i]));
}

static void write_item(const void *context, uint64_t i, struct mprof_buf *out)
{
    const size_t size = strlen(names[i]);

    (void)context;
    mprof_buf_u64(out, size);
    mprof_buf_u64(out, 8 * i);
    mprof_buf_bytes(out, names[i], size);
    for (uint64_t k = 0; k < i; k++)
        mprof_buf_u64(out, k);
}

/* A file of LLVM's: header, summary, functions. */
static void make_file(struct mprof_buf *out)
{
    const struct mpdata_chash_source functions = {.count =
                                                      MPROF_ARRAY_LEN(names),
                                                  .hash = hash_name,
                                                  .write = write_item};
    uint64_t table_off = 0;

    mpdata_heapbuf_init(out);
    mprof_buf_u64(out, MPROF_INDEX_MAGIC);
    mprof_buf_u64(out, MPROF_INDEX_VERSION | MPROF_INDEX_VARIANT_IR);
    for (int i = 2; i < MPROF_INDEX_HEADER_WORDS; i++)
        mprof_buf_u64(out, 0);
    mprof_buf_u64(out, 1);
    mprof_buf_u64(out, 0);
    mprof_buf_u64(out, 77);
    assert_int_equal(mpdata_chash_write(&functions, out, &table_off),
                     MPROF_E_OK);
    mprof_buf_patch(out, 32, table_off, 8);
    assert_false(out->failed);
}

static enum mprof_err read_file(const struct mprof_buf *file,
                                struct mpdata_content *into, uint64_t weight)
{
    struct mpdata_content own;
    enum mprof_err err = mpdata_content_init(&own);

    if (err == MPROF_E_OK)
        err = mpdata_counters_read(file->data, file->size, &own.counters, NULL);
    if (err == MPROF_E_OK)
        err = mpdata_content_merge(into, &own, weight, NULL);
    mpdata_content_fini(&own);
    return err;
}

/* At another offset of a file the result is the same, and so is the file
 * written from it. */
static void files_read_back(void **state)
{
    struct mpdata_content content;
    struct mpdata_content again;
    struct mprof_buf first;
    struct mprof_buf second;
    struct mprof_buf third;

    (void)state;
    make_file(&first);
    mpdata_heapbuf_init(&second);
    mpdata_heapbuf_init(&third);
    assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
    assert_int_equal(mpdata_content_init(&again), MPROF_E_OK);
    assert_int_equal(read_file(&first, &content, 1), MPROF_E_OK);
    assert_true(content.counters.is_present);
    assert_int_equal(content.counters.functions, MPROF_ARRAY_LEN(names));
    mprof_buf_u64(&third, 0); /* so that the table starts at another offset */
    mpdata_counters_write_table(&content.counters, &third, &(uint64_t){0});
    assert_int_equal(third.size, content.counters.table.size);
    assert_memory_equal(third.data, content.counters.table.data, third.size);
    assert_int_equal(mpdata_index_write(&content, NULL, &second), MPROF_E_OK);
    assert_int_equal(read_file(&second, &again, 1), MPROF_E_OK);
    assert_int_equal(again.counters.table.size, content.counters.table.size);
    assert_memory_equal(again.counters.table.data, content.counters.table.data,
                        again.counters.table.size);
    assert_int_equal(again.counters.summary.size, 24);
    mpdata_heapbuf_fini(&third);
    mpdata_heapbuf_fini(&second);
    mpdata_heapbuf_fini(&first);
    mpdata_content_fini(&again);
    mpdata_content_fini(&content);
}

static void one_input_has_counters_once(void **state)
{
    struct mpdata_content content;
    struct mprof_buf file;

    (void)state;
    make_file(&file);
    assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
    assert_int_equal(read_file(&file, &content, 2), MPROF_E_UNSUPPORTED);
    assert_false(content.counters.is_present);
    assert_int_equal(read_file(&file, &content, 1), MPROF_E_OK);
    assert_int_equal(read_file(&file, &content, 1), MPROF_E_UNSUPPORTED);
    assert_true(content.counters.is_present);
    mpdata_content_fini(&content);
    mpdata_heapbuf_fini(&file);
}

/* Every single-bit flip and every length: no crash, and no read past the
 * end. */
static void damage_is_survived(void **state)
{
    struct mpdata_counters c;
    struct mprof_buf file;

    (void)state;
    make_file(&file);
    for (size_t bit = 0; bit < file.size * 8; bit++) {
        enum mprof_err err;

        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        mpdata_counters_init(&c);
        err = mpdata_counters_read(file.data, file.size, &c, NULL);
        assert_true(err == MPROF_E_OK || !c.is_present);
        mpdata_counters_fini(&c);
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *part = malloc(size + 1);
        enum mprof_err err;

        memcpy(part, file.data, size);
        mpdata_counters_init(&c);
        err = mpdata_counters_read(part, size, &c, NULL);
        assert_true(err == MPROF_E_OK || !c.is_present);
        mpdata_counters_fini(&c);
        free(part);
    }
    mpdata_heapbuf_fini(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_read_back),
        cmocka_unit_test(one_input_has_counters_once),
        cmocka_unit_test(damage_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
