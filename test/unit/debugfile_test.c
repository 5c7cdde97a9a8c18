/* debugfile_test.c -- where debug information and libraries are looked for, as
 * far as no compiler is needed; the rest is in test/profdata/symbol-sources.test.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/binaries.h"
#include "profdata/debugfile.h"
#include "profdata/debuginfod.h"
#include "profdata/needed.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

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
    mpdata_debug_dirs_fini(&dirs);
}

/* A server is asked only where one is configured. */
static void asks_no_server_unasked(void **state)
{
    void *client = NULL;

    (void)state;
    unsetenv("DEBUGINFOD_URLS");
    assert_false(mpdata_debuginfod_is_wanted());
    setenv("DEBUGINFOD_URLS", "  ", 1);
    assert_false(mpdata_debuginfod_is_wanted());
    assert_null(mpdata_debuginfod_find(&client, "\x01\x02", 2, false));
    assert_null(client);
    unsetenv("DEBUGINFOD_URLS");
}

static void stamps_differ_as_files_do(void **state)
{
    (void)state;
    assert_int_equal(mpdata_file_stamp("/nowhere"), 0);
    assert_int_equal(mpdata_file_stamp(NULL), 0);
    assert_int_not_equal(mpdata_file_stamp("/proc/self/exe"), 0);
    assert_int_equal(mpdata_file_stamp("/proc/self/exe"),
                     mpdata_file_stamp("/proc/self/exe"));
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
    mpdata_binaries_add_needed(&binaries);
    for (size_t i = 0; i < binaries.count; i++) {
        has_c |= strstr(binaries.files[i].path, "/libc.so.6") != NULL;
        has_linker |= strstr(binaries.files[i].path, "/ld-linux") != NULL;
        assert_int_equal(binaries.files[i].is_given, i == 0);
    }
    assert_true(has_c);
    assert_true(has_linker);
    count = binaries.count;
    mpdata_binaries_add_needed(&binaries);
    assert_int_equal(binaries.count, count);
    mpdata_binaries_fini(&binaries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_nothing_where_nothing_is),
        cmocka_unit_test(asks_no_server_unasked),
        cmocka_unit_test(stamps_differ_as_files_do),
        cmocka_unit_test(finds_the_libraries_of_a_program),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
