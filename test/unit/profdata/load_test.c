/* load_test.c -- any profile by its content.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/load.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/raw_build.h"

#include <stdio.h>
#include <unistd.h>

static char path[] = "load_test.XXXXXX";

static enum mprof_err load(const void *data, size_t size,
                           struct mpdata_load_context *session,
                           struct mprof_diag *diag)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return mpdata_load(session, path, true, diag);
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
    struct mpdata_load_context session = {.profile = mpdata_profile_new()};
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(load("", 0, &session, &diag), MPROF_E_EMPTY);
    assert_string_equal(diag.file, path);
    assert_int_equal(load("hello, world", 12, &session, &diag), MPROF_E_MAGIC);
    assert_string_equal(diag.text, "it is a text file");
    assert_int_equal(load("\x8dmpraw\r\n", 8, &session, &diag),
                     MPROF_E_TRUNCATED);
    assert_int_equal(load("\x81rforpm\xff", 8, &session, &diag),
                     MPROF_E_TRUNCATED);
    assert_int_not_equal(load("\xfflprofi\x81", 8, &session, &diag), 0);
    assert_string_equal(diag.file, path);
    assert_int_equal(mpdata_load(&session, "no/such", true, &diag), MPROF_E_IO);
    assert_int_equal(mpdata_profile_view(session.profile).context_count, 0);
    mpdata_symbolize_fini(&session);
    mpdata_profile_free(session.profile);
}

/* All of them are read; that no binary was given for them is said then. */
static void loads_every_dump_of_a_file(void **state)
{
    const struct raw_llvm raw = {.version = 5,
                                 .mibs = {1, 10},
                                 .mib_count = 1,
                                 .stacks = {1, 1, 0x99},
                                 .stack_words = 3,
                                 .stack_count = 1};
    struct mpdata_load_context session = {.profile = mpdata_profile_new()};
    struct mpdata_raw_file file;
    struct mprof_diag diag;
    struct mprof_buf out;

    (void)state;
    mpdata_heapbuf_init(&out);
    raw_llvm_build(&out, &raw);
    raw_llvm_build(&out, &raw);
    assert_int_equal(mpdata_load_raw(out.data, out.size, true, &file, &diag),
                     0);
    assert_int_equal(file.count, 2);
    mpdata_raw_file_free(&file);
    assert_int_equal(load(out.data, out.size, &session, &diag),
                     MPROF_E_NO_BINARY);
    assert_non_null(strstr(diag.text, "not recorded"));
    mpdata_heapbuf_fini(&out);
    mpdata_symbolize_fini(&session);
    mpdata_profile_free(session.profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_it_does_not_know),
        cmocka_unit_test(loads_every_dump_of_a_file),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
