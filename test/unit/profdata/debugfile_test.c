/* debugfile_test.c -- where debug information and libraries are looked for, as
 * far as no compiler is needed; the rest is in
 * test/profdata/symbol-sources.test.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define MPDATA_SYSTEM_DEBUG_DIR "debugfile-test.tmp"

#include "profdata/symbols/debugfile.c"
#include "profdata/symbols/binaries.h"
#include "profdata/load/symbolize.h"
#include "test/unit/cmocka_all.h"

#include <unistd.h>

/* Runs a command that creates or removes files for a test. */
static void run(const char *command)
{
    assert_int_equal(system(command), 0);
}

/* This program has debug information. By build id the search finds it in the
 * system's directory, where there is only the C library's. */
static void looks_into_the_systems_directory(void **state)
{
    static const char id_path[] = MPDATA_SYSTEM_DEBUG_DIR "%s.debug";
    struct mpdata_debug_dirs dirs = {.count = 0};
    struct mpdata_debugfile found;
    struct mpdata_file file;
    struct mpdata_elf elf;
    char by_id[MPDATA_BUILD_ID_TEXT_BYTES + 16];
    char path[PATH_MAX];
    char command[4 * PATH_MAX];
    struct mpdata_debug_query query = {.path = "/proc/self/exe"};

    (void)state;
    assert_int_equal(mpdata_file_open(&file, "/proc/self/exe", NULL), 0);
    assert_int_equal(mpdata_elf_read(&elf, file.data, file.size, NULL), 0);
    assert_true(elf.has_debug_info);
    if (elf.build_id.size == 0)
        skip();
    query.build_id = elf.build_id.bytes;
    query.build_id_size = elf.build_id.size;
    build_id_path(query.build_id, query.build_id_size, by_id);
    snprintf(path, sizeof(path), id_path, by_id);
    snprintf(command, sizeof(command),
             "mkdir -p $(dirname %s) && cp /proc/%d/exe %s && cp %s "
             "debugfile-test.tmp/libc.so.6",
             path, (int)getpid(), path, path);
    run(command);
    mpdata_debugfile_find(&dirs, &query, NULL, &found);
    assert_int_equal(found.kind, MPDATA_DEBUG_SYSTEM);
    assert_string_equal(found.path, path);
    assert_int_equal(found.stamp, mpdata_debugfile_stamp(path));
    mpdata_debugfile_fini(&found);
    query.path = "debugfile-test.tmp/libc.so.6";
    mpdata_debugfile_find(&dirs, &query, NULL, &found);
    assert_int_equal(found.kind, MPDATA_DEBUG_NAMES);
    mpdata_debugfile_fini(&found);
    run("rm -r debugfile-test.tmp");
    mpdata_debugfile_find(&dirs, &query, NULL, &found);
    assert_int_equal(found.kind, MPDATA_DEBUG_NONE);
    mpdata_debugfile_fini(&found);
    mpdata_debugfile_dirs_fini(&dirs);
    mpdata_file_close(&file);
}

static void finds_nothing_where_nothing_is(void **state)
{
    static const char *const nowhere[] = {"/nowhere", "/dev/null"};
    struct mpdata_debug_dirs dirs = {.dirs = nowhere, .count = 2};
    const struct mpdata_debug_query query = {.path = "/nowhere/app",
                                             .build_id = "\x01\x02\x03",
                                             .build_id_size = 3,
                                             .link = "app.debug"};
    struct mpdata_debugfile found;

    (void)state;
    unsetenv("DEBUGINFOD_URLS");
    mpdata_debugfile_find(&dirs, &query, NULL, &found);
    assert_int_equal(found.kind, MPDATA_DEBUG_NONE);
    assert_null(found.path);
    assert_null(mpdata_debugfile_fetch(&dirs, "\x01\x02\x03", 3));
    assert_null(mpdata_debugfile_fetch(&dirs, "", 0));
    assert_null(mpdata_debugfile_package(&dirs, "/nowhere/app.debug"));
    mpdata_debugfile_fini(&found);
    mpdata_debugfile_dirs_fini(&dirs);
}

/* A server is asked only where one is configured. */
static void asks_no_server_unasked(void **state)
{
    struct mpdata_debug_dirs dirs = {.count = 0};

    (void)state;
    unsetenv("DEBUGINFOD_URLS");
    assert_null(mpdata_debugfile_fetch(&dirs, "\x01\x02", 2));
    setenv("DEBUGINFOD_URLS", "  ", 1);
    assert_null(mpdata_debugfile_fetch(&dirs, "\x01\x02", 2));
    assert_null(dirs.server);
    unsetenv("DEBUGINFOD_URLS");
    mpdata_debugfile_dirs_fini(&dirs);
}

static void stamps_differ_as_files_do(void **state)
{
    (void)state;
    assert_int_equal(mpdata_debugfile_stamp("/nowhere"), 0);
    assert_int_equal(mpdata_debugfile_stamp(NULL), 0);
    assert_int_not_equal(mpdata_debugfile_stamp("/proc/self/exe"), 0);
    assert_int_equal(mpdata_debugfile_stamp("/proc/self/exe"),
                     mpdata_debugfile_stamp("/proc/self/exe"));
}

/* This program is linked with the C library, and that with the dynamic linker.
 */
static void finds_the_libraries_of_a_program(void **state)
{
    struct mpdata_binaries binaries = {.files = NULL};
    bool has_c = false;
    bool has_linker = false;
    size_t count;

    (void)state;
    assert_int_equal(
        mpdata_binaries_add_given(&binaries, "/proc/self/exe", NULL), 0);
    mpdata_shared_libs_add(&binaries);
    for (size_t i = 0; i < binaries.count; i++) {
        has_c |= strstr(binaries.files[i].path, "/libc.so.6") != NULL;
        has_linker |= strstr(binaries.files[i].path, "/ld-linux") != NULL;
        assert_int_equal(binaries.files[i].is_given, i == 0);
    }
    assert_true(has_c);
    assert_true(has_linker);
    count = binaries.count;
    mpdata_shared_libs_add(&binaries);
    assert_int_equal(binaries.count, count);
    mpdata_binaries_fini(&binaries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_into_the_systems_directory),
        cmocka_unit_test(finds_nothing_where_nothing_is),
        cmocka_unit_test(asks_no_server_unasked),
        cmocka_unit_test(stamps_differ_as_files_do),
        cmocka_unit_test(finds_the_libraries_of_a_program),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
