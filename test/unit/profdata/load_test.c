/* load_test.c -- tests that any profile is recognized by its content and
 * loaded.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/load.h"
#include "profdata/model/content.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"
#include "test/unit/raw_build.h"

#include <stdio.h>
#include <unistd.h>

static char path[] = "load_test.XXXXXX";

static enum mprof_err load_bytes(const void *data, size_t size,
                                 struct mpdata_load_context *load,
                                 struct mprof_diag *diag)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return mpdata_load_weighted(load, path, 1, true, diag);
}

/* Calls, by the linker's --wrap. */
static unsigned directories;
static unsigned whole_checksums; /* of those that start with the file */
static const void *file_start;

enum mprof_err __real_mprof_dir_read(struct mprof_dir *dir, const void *data,
                                     size_t size, uint64_t dir_off,
                                     uint64_t magic, uint32_t version_min,
                                     uint32_t version_max, bool verify_checksum,
                                     const char *name, struct mprof_diag *diag);
enum mprof_err __wrap_mprof_dir_read(struct mprof_dir *dir, const void *data,
                                     size_t size, uint64_t dir_off,
                                     uint64_t magic, uint32_t version_min,
                                     uint32_t version_max, bool verify_checksum,
                                     const char *name, struct mprof_diag *diag);
uint64_t __real_mprof_checksum(const void *data, size_t size);
uint64_t __wrap_mprof_checksum(const void *data, size_t size);

enum mprof_err __wrap_mprof_dir_read(struct mprof_dir *dir, const void *data,
                                     size_t size, uint64_t dir_off,
                                     uint64_t magic, uint32_t version_min,
                                     uint32_t version_max, bool verify_checksum,
                                     const char *name, struct mprof_diag *diag)
{
    directories++;
    file_start = data;
    return __real_mprof_dir_read(dir, data, size, dir_off, magic, version_min,
                                 version_max, verify_checksum, name, diag);
}

uint64_t __wrap_mprof_checksum(const void *data, size_t size)
{
    whole_checksums += data == file_start;
    return __real_mprof_checksum(data, size);
}

static int make_file(void **state)
{
    const int fd = mkstemp(path);

    (void)state;
    return fd < 0 || close(fd) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void refuses_what_it_does_not_know(void **state)
{
    struct mpdata_content content;
    struct mpdata_load_context load = {.content = &content};
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
    assert_int_equal(load_bytes("", 0, &load, &diag), MPROF_E_EMPTY);
    assert_string_equal(diag.file, path);
    assert_int_equal(load_bytes("hello, world", 12, &load, &diag),
                     MPROF_E_MAGIC);
    assert_string_equal(diag.text, "it is a text file");
    assert_int_equal(load_bytes("\x8dmpraw\r\n", 8, &load, &diag),
                     MPROF_E_TRUNCATED);
    assert_int_equal(load_bytes("\x81rforpm\xff", 8, &load, &diag),
                     MPROF_E_TRUNCATED);
    assert_int_not_equal(load_bytes("\xfflprofi\x81", 8, &load, &diag), 0);
    assert_string_equal(diag.file, path);
    assert_int_equal(mpdata_load_weighted(&load, "no/such", 1, true, &diag),
                     MPROF_E_IO);
    assert_int_equal(mpdata_profile_view(content.profile).context_count, 0);
    mpdata_symbolize_fini(&load);
    mpdata_content_fini(&content);
}

/* All are read; then a message says that no binary was given for them. */
static void loads_every_dump_of_a_file(void **state)
{
    const struct raw_llvm raw = {.version = 5,
                                 .mibs = {1, 10},
                                 .mib_count = 1,
                                 .stacks = {1, 1, 0x99},
                                 .stack_words = 3,
                                 .stack_count = 1};
    struct mpdata_content content;
    struct mpdata_load_context load = {.content = &content};
    struct mpdata_parsed parsed;
    struct mprof_diag diag;
    struct mprof_buf out;

    (void)state;
    assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
    mpdata_heapbuf_init(&out);
    raw_llvm_build(&out, &raw);
    raw_llvm_build(&out, &raw);
    assert_int_equal(load_bytes(out.data, out.size, &load, &diag),
                     MPROF_E_NO_BINARY);
    mpdata_parse(&parsed, path, true, NULL);
    assert_int_equal(parsed.err, MPROF_E_OK);
    assert_int_equal(parsed.kind, MPDATA_KIND_RAW_LLVM);
    assert_int_equal(parsed.raw.count, 2);
    mpdata_parse_free(&parsed);
    assert_non_null(strstr(diag.text, "not recorded"));
    mpdata_heapbuf_fini(&out);
    mpdata_symbolize_fini(&load);
    mpdata_content_fini(&content);
}

static void an_indexed_file_is_opened_once(void **state)
{
    struct mpdata_content content;
    struct mpdata_load_context load = {.content = &content};
    struct mpdata_profile *p = gen_profile(3, 50);
    struct mprof_diag diag;
    struct mprof_buf out;

    (void)state;
    assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
    assert_int_equal(gen_write(p, NULL, &out), MPROF_E_OK);
    directories = 0;
    whole_checksums = 0;
    assert_int_equal(load_bytes(out.data, out.size, &load, &diag), MPROF_E_OK);
    assert_int_equal(directories, 1);
    assert_int_equal(whole_checksums, 1);
    mpdata_heapbuf_fini(&out);
    mpdata_profile_free(p);
    mpdata_symbolize_fini(&load);
    mpdata_content_fini(&content);
}

static enum mprof_err write_dump(uint64_t epoch, uint64_t dump,
                                 struct mpdata_load_context *load,
                                 struct mprof_diag *diag)
{
    const struct raw_table tables[] = {
        {MPROF_RAW_META,
         {1, 2},
         2,
         3,
         {MPROF_RAW_META_IS_RUN_ID, 7, MPROF_RAW_META_IS_EPOCH, epoch,
          MPROF_RAW_META_IS_DUMP, dump},
         NULL},
        {MPROF_RAW_STRINGS, {1, 2}, 2, 1, {0}, ""},
        {MPROF_RAW_MODULES, {1}, 1, 1, {0}, NULL},
        {MPROF_RAW_SEGMENTS, {1, 2, 3, 4}, 4, 1, {0, 0x1000, 0x3000, 0}, NULL},
        {MPROF_RAW_FRAMES, {1, 2}, 2, 1, {0, 0x99}, NULL},
        {MPROF_RAW_NODES, {1, 2}, 2, 1, {0, 0}, NULL},
        {MPROF_RAW_CONTEXTS,
         {MPROF_MIB_TAG_AllocCount, MPROF_RAW_CONTEXTS_NODE},
         2,
         1,
         {dump, 1},
         NULL}};
    const struct raw_table *list[MPROF_ARRAY_LEN(tables)];
    struct mprof_buf out;
    enum mprof_err err = MPROF_E_OK;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(tables); i++)
        list[i] = &tables[i];
    raw_build(&out, list, MPROF_ARRAY_LEN(tables), false);
    if (load != NULL) {
        err = load_bytes(out.data, out.size, load, diag);
    } else {
        FILE *file = fopen(path, "wb");

        assert_non_null(file);
        assert_int_equal(fwrite(out.data, 1, out.size, file), out.size);
        assert_int_equal(fclose(file), 0);
    }
    mpdata_heapbuf_fini(&out);
    return err;
}

/* Files that are not kept in memory are read again: continuous=1 may have
 * written a later dump meanwhile, which includes the first. */
static void a_file_may_be_written_meanwhile(void **state)
{
    static const struct {
        uint32_t epoch;
        uint32_t dump;
        enum mprof_err err;
    } later[] = {{1, 2, MPROF_E_OK},
                 {1, 3, MPROF_E_OK},
                 {1, 1, MPROF_E_VALUE},
                 {2, 3, MPROF_E_VALUE}};
    struct mprof_diag diag;

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(later); i++) {
        struct mpdata_content content;
        struct mpdata_load_context load = {.content = &content};

        assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
        load.dumps.held_bytes = (size_t)16 << 20; /* the limit */
        assert_int_equal(write_dump(1, 2, &load, &diag), MPROF_E_OK);
        write_dump(later[i].epoch, later[i].dump, NULL, NULL);
        assert_int_equal(mpdata_load_all_pending(&load, true, &diag),
                         later[i].err);
        if (later[i].err == MPROF_E_OK) {
            const struct mpdata_view view =
                mpdata_profile_view(content.profile);

            assert_int_equal(view.run_count, 1);
            assert_int_equal(view.runs[0].dump, later[i].dump);
            assert_int_equal(mpdata_view_mib(&view, 0).AllocCount,
                             later[i].dump);
        } else {
            assert_string_equal(diag.text,
                                "the file changed while it was read");
        }
        mpdata_symbolize_fini(&load);
        mpdata_content_fini(&content);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_it_does_not_know),
        cmocka_unit_test(loads_every_dump_of_a_file),
        cmocka_unit_test(an_indexed_file_is_opened_once),
        cmocka_unit_test(a_file_may_be_written_meanwhile),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
