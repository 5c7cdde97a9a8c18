/* symcache_trim_test.c -- what the cache of symbols lets go.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symcache_trim.h"
#include "test/unit/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "symcache_trim_test.XXXXXX";

static const char *path_of(const char *name)
{
    static char path[64];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return path;
}

/* A file of 100 bytes, used at a second. */
static void make(const char *name, int second)
{
    const struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};
    const int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 100), 0);
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
}

static bool is_there(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

static int enter_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL;
}

static int leave_directory(void **state)
{
    (void)state;
    unlink(path_of("a"));
    unlink(path_of("b"));
    unlink(path_of("c"));
    unlink(path_of("d"));
    rmdir(path_of("folder"));
    return rmdir(directory);
}

static void removes_what_was_used_longest_ago(void **state)
{
    (void)state;
    make("a", 4);
    make("b", 1);
    make("c", 3);
    make("d", 2);
    mpdata_symcache_trim(path_of("c"), 400);
    assert_true(is_there("a") && is_there("b") && is_there("c") &&
                is_there("d"));
    mpdata_symcache_trim(path_of("c"), 399);
    assert_false(is_there("b"));
    mpdata_symcache_trim_touch(path_of("d"));
    mpdata_symcache_trim(path_of("c"), 200);
    assert_false(is_there("a"));
    assert_true(is_there("c") && is_there("d"));
}

static void keeps_the_one_at_hand(void **state)
{
    (void)state;
    make("a", 4);
    make("b", 1);
    assert_int_equal(mkdir(path_of("folder"), 0700), 0);
    mpdata_symcache_trim(path_of("b"), 0);
    assert_true(is_there("b"));
    assert_false(is_there("a"));
    assert_true(is_there("folder"));
    mpdata_symcache_trim("no/such/folder", 0);
    mpdata_symcache_trim("none", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removes_what_was_used_longest_ago),
        cmocka_unit_test(keeps_the_one_at_hand),
    };

    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
