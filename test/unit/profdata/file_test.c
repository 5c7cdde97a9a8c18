/* file_test.c -- tests reading and writing whole files.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "test/unit/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "file_test.XXXXXX";
static char path[64];

static int enter_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL ||
           snprintf(path, sizeof(path), "%s/f", directory) < 0;
}

static int leave_directory(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

static void reads_back_what_it_wrote(void **state)
{
    static const size_t sizes[] = {0, 1, 65536, 300000};
    uint8_t *bytes = (uint8_t *)malloc(300000);

    (void)state;
    for (size_t i = 0; i < 300000; i++)
        bytes[i] = (uint8_t)(i * 31);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
        struct mpdata_file file;
        struct mprof_diag diag;

        assert_int_equal(mpdata_file_write(path, bytes, sizes[i], &diag), 0);
        assert_int_equal(mpdata_file_open(&file, path, &diag), 0);
        assert_int_equal(file.size, sizes[i]);
        assert_non_null(file.data);
        assert_memory_equal(file.data, bytes, sizes[i]);
        mpdata_file_forget(&file);
        assert_memory_equal(file.data, bytes, sizes[i]);
        mpdata_file_close(&file);
    }
    free(bytes);
}

/* A reader that has opened the old file still reads all of it. */
static void replaces_and_does_not_overwrite(void **state)
{
    char old[4] = "";
    struct mprof_diag diag;
    int fd;

    (void)state;
    assert_int_equal(mpdata_file_write(path, "old", 3, &diag), 0);
    assert_int_equal(chmod(path, 0604), 0);
    fd = open(path, O_RDONLY);
    assert_int_equal(mpdata_file_write(path, "newer", 5, &diag), 0);
    assert_int_equal(read(fd, old, sizeof(old)), 3);
    assert_memory_equal(old, "old", 3);
    close(fd);
    {
        struct stat st;

        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, 5);
        assert_int_equal(st.st_mode & 0777, 0604);
    }
}

static void says_what_failed_with_which_file(void **state)
{
    struct mpdata_file file;
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(mpdata_file_open(&file, "no/such/file", &diag),
                     MPROF_E_IO);
    assert_string_equal(diag.file, "no/such/file");
    assert_string_equal(diag.text, "No such file or directory");
    assert_int_equal(mpdata_file_open(&file, directory, &diag), MPROF_E_IO);
    assert_int_equal(mpdata_file_write("no/such/file", "", 0, &diag),
                     MPROF_E_IO);
    assert_int_equal(mpdata_file_write(directory, "", 0, &diag), MPROF_E_IO);
    assert_int_equal(mpdata_file_write("/dev/full", "x", 1, &diag), MPROF_E_IO);
}

static void reads_pipes(void **state)
{
    char name[32];
    struct mpdata_file file;
    struct mprof_diag diag;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "abc", 3), 3);
    close(ends[1]);
    snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[0]);
    /* Only an input may be a device. */
    assert_int_equal(mpdata_file_open(&file, name, &diag), MPROF_E_IO);
    assert_int_equal(mpdata_file_open_input(&file, name, NULL, &diag), 0);
    assert_int_equal(file.size, 3);
    assert_memory_equal(file.data, "abc", 3);
    mpdata_file_close(&file);
    close(ends[0]);
}

/* Files made by the kernel report to be regular files of no bytes; some never
 * end. */
static void reads_files_of_the_kernel_as_inputs_alone(void **state)
{
    struct mpdata_file file;
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(mpdata_file_open(&file, "/proc/self/maps", &diag), 0);
    assert_int_equal(file.size, 0);
    assert_non_null(file.data);
    mpdata_file_close(&file);
    assert_int_equal(
        mpdata_file_open_input(&file, "/proc/self/maps", NULL, &diag), 0);
    assert_true(file.size != 0);
    mpdata_file_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_what_it_wrote),
        cmocka_unit_test(replaces_and_does_not_overwrite),
        cmocka_unit_test(says_what_failed_with_which_file),
        cmocka_unit_test(reads_pipes),
        cmocka_unit_test(reads_files_of_the_kernel_as_inputs_alone),
    };

    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
