/* output_test.c -- tests a file while it is being written.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/output.h"
#include "profdata/base/file.h"
#include "test/unit/cmocka_all.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE (3u << 20)

static char directory[] = "output_test.XXXXXX";
static char path[64];

static int enter_directory(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    return mkdtemp(directory) == NULL ||
           snprintf(path, sizeof(path), "%s/f", directory) < 0;
}

static int leave_directory(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

static unsigned count_files(void)
{
    DIR *dir = opendir(directory);
    unsigned count = 0;

    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count - 2;
}

static void append(struct mpdata_output *output, size_t size)
{
    for (size_t i = 0; i < size / 8; i++)
        mprof_buf_u64(&output->buf, i * UINT64_C(0x9e3779b97f4a7c15));
}

static void assert_written(size_t size)
{
    struct mpdata_file file;

    assert_int_equal(mpdata_file_open(&file, path, NULL), MPROF_E_OK);
    assert_int_equal(file.size, size);
    for (size_t i = 0; i < size / 8; i++) {
        uint64_t word;

        memcpy(&word, file.data + 8 * i, sizeof(word));
        assert_true(word == i * UINT64_C(0x9e3779b97f4a7c15));
    }
    mpdata_file_close(&file);
}

static void any_size_is_written_whole(void **state)
{
    static const size_t sizes[] = {0, 8, 100000, 400000, LARGE, 64};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
        struct mpdata_output output;

        mpdata_output_init(&output, path);
        append(&output, sizes[i]);
        mprof_buf_patch(&output.buf, 0, 0, sizes[i] != 0 ? 8 : 0);
        assert_int_equal(mpdata_output_finish(&output, NULL), MPROF_E_OK);
        mpdata_output_fini(&output);
        assert_written(sizes[i]);
        assert_int_equal(count_files(), 1);
    }
}

static size_t read_bytes;

static void *read_all(void *from)
{
    static char bytes[1 << 16];
    const int fd = open((const char *)from, O_RDONLY);
    ssize_t n = fd;

    while (n >= 0 && (n = read(fd, bytes, sizeof(bytes))) > 0)
        read_bytes += (size_t)n;
    if (fd >= 0)
        close(fd);
    return NULL;
}

/* Output to a named pipe, which is opened once, is not held in memory. */
static void what_is_large_is_sent_on_by_pieces(void **state)
{
    static const char piece[1 << 16] = "a piece";
    static char pipe_path[sizeof(path)];
    const size_t pieces = LARGE / sizeof(piece) + 1;
    struct mpdata_output output;
    struct mpdata_sink sink;
    pthread_t reader;

    (void)state;
    snprintf(pipe_path, sizeof(pipe_path), "%s/p", directory);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    mpdata_output_init(&output, pipe_path);
    sink = mpdata_output_sink(&output);
    assert_int_equal(pthread_create(&reader, NULL, read_all, pipe_path), 0);
    for (size_t i = 0; i < pieces; i++)
        mpdata_sink_bytes(&sink, piece, sizeof(piece));
    assert_true(output.buf.capacity < LARGE);
    assert_int_equal(mpdata_output_finish(&output, NULL), MPROF_E_OK);
    mpdata_output_fini(&output);
    unlink(pipe_path);
    assert_false(sink.failed);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_int_equal(read_bytes, pieces * sizeof(piece));
}

/* Out of memory for the content; only the limit of a format is an error of the
 * output. */
static void an_error_names_the_output_where_it_is_its(void **state)
{
    struct mpdata_output output;
    struct mprof_diag diag;

    (void)state;
    mpdata_output_init(&output, path);
    assert_int_equal(mpdata_output_fail(&output, MPROF_E_NOMEM, &diag),
                     MPROF_E_NOMEM);
    assert_null(diag.file);
    assert_int_equal(mpdata_output_fail(&output, MPROF_E_LIMIT, &diag),
                     MPROF_E_LIMIT);
    assert_string_equal(diag.file, path);
    mpdata_output_fini(&output);
}

static void what_is_not_finished_leaves_the_old_file(void **state)
{
    struct mpdata_output output;

    (void)state;
    assert_int_equal(mpdata_file_write(path, "old", 3, NULL), MPROF_E_OK);
    mpdata_output_init(&output, path);
    append(&output, LARGE);
    assert_int_equal(count_files(), 1);
    mpdata_output_fini(&output);
    assert_int_equal(count_files(), 1);
    {
        struct mpdata_file file;

        assert_int_equal(mpdata_file_open(&file, path, NULL), MPROF_E_OK);
        assert_int_equal(file.size, 3);
        mpdata_file_close(&file);
    }
}

static void permissions_stay(void **state)
{
    struct mpdata_output output;
    struct stat st;

    (void)state;
    assert_int_equal(mpdata_file_write(path, "old", 3, NULL), MPROF_E_OK);
    assert_int_equal(chmod(path, 0604), 0);
    mpdata_output_init(&output, path);
    append(&output, LARGE);
    assert_int_equal(mpdata_output_finish(&output, NULL), MPROF_E_OK);
    mpdata_output_fini(&output);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0604);
}

/* With room for only the start: the old file is kept. */
static void a_full_disk_is_an_error_at_the_end(void **state)
{
    struct rlimit was;
    struct mpdata_output output;
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(mpdata_file_write(path, "old", 3, NULL), MPROF_E_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    assert_int_equal(
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1u << 20, was.rlim_max}), 0);
    mpdata_output_init(&output, path);
    append(&output, LARGE);
    assert_false(output.buf.failed);
    assert_int_equal(mpdata_output_finish(&output, &diag), MPROF_E_IO);
    assert_string_equal(diag.file, path);
    mpdata_output_fini(&output);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_int_equal(count_files(), 1);
}

/* If no file can be created, the error is reported at the end. */
static void no_directory_is_an_error_at_the_end(void **state)
{
    struct mpdata_output output;
    struct mprof_diag diag;

    (void)state;
    mpdata_output_init(&output, "no/such/file");
    append(&output, LARGE);
    assert_false(output.buf.failed);
    assert_int_equal(mpdata_output_finish(&output, &diag), MPROF_E_IO);
    mpdata_output_fini(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_size_is_written_whole),
        cmocka_unit_test(what_is_large_is_sent_on_by_pieces),
        cmocka_unit_test(an_error_names_the_output_where_it_is_its),
        cmocka_unit_test(what_is_not_finished_leaves_the_old_file),
        cmocka_unit_test(permissions_stay),
        cmocka_unit_test(a_full_disk_is_an_error_at_the_end),
        cmocka_unit_test(no_directory_is_an_error_at_the_end),
    };

    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
