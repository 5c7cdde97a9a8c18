/* options_test.c -- the parser of runtime options.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "shared/abi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* -- What options.c asks for ----------------------------------------------- */

static char complaints[4096];
static const char *include_text = "";
static bool include_read;
static uint64_t secure;
static const char *environment;
static const char *program_options = "exitcode=11:verbosity=1";

const char *__memprof_default_options(void);

const char *__memprof_default_options(void)
{
    return program_options;
}

void mprt_log(const char *part, ...)
{
    va_list parts;

    va_start(parts, part);
    for (; part != NULL; part = va_arg(parts, const char *))
        strcat(complaints, part);
    strcat(complaints, "\n");
    va_end(parts);
}

void *mprt_memory_map(size_t bytes)
{
    return calloc(1, bytes);
}

void mprt_memory_unmap(void *addr, size_t bytes)
{
    (void)bytes;
    free(addr);
}

/* Each piece is freed with the process. */
void *mprt_memory_cut(struct mprt_memory_chunk *chunk, size_t bytes,
                      size_t chunk_bytes)
{
    (void)chunk_bytes;
    chunk->at = (char *)calloc(1, bytes);
    return chunk->at;
}

int mprt_os_open_read(const char *path)
{
    include_read = false;
    return strcmp(path, "there") == 0 ? 3 : -2;
}

int mprt_os_close(int fd)
{
    (void)fd;
    return 0;
}

int64_t mprt_os_read(int fd, void *data, size_t n)
{
    const size_t bytes = include_read ? 0 : strlen(include_text);

    (void)fd;
    assert_true(bytes <= n);
    memcpy(data, include_text, bytes);
    include_read = true;
    return (int64_t)bytes;
}

int mprt_os_write_all(int fd, const void *data, size_t n)
{
    (void)fd;
    (void)data;
    (void)n;
    return 0;
}

uint64_t mprt_os_auxv(uint64_t type)
{
    (void)type;
    return secure;
}

const char *mprt_os_getenv(const char *name)
{
    assert_string_equal(name, MPROF_ENV_OPTIONS);
    return environment;
}

/* -- Tests ----------------------------------------------------------------- */

static struct mprt_options parse(const char *text)
{
    complaints[0] = '\0';
    secure = 0;
    program_options = "";
    environment = text;
    mprt_options_init();
    return mprt_options;
}

static void test_defaults_are_llvms(void **state)
{
    const struct mprt_options o = parse("");

    (void)state;
    assert_true(o.dump_at_exit);
    assert_false(o.print_text);
    assert_int_equal(o.malloc_context_size, 30);
    assert_int_equal(o.clear_shadow_mmap_threshold, 0x10000);
    assert_null(o.log_path);
    assert_string_equal(o.coverage_dir, ".");
    assert_string_equal(complaints, "");
}

static void test_every_separator_separates(void **state)
{
    const struct mprt_options o =
        parse(" :,\tprint_text=1 print_terse=yes,atexit=true:exitcode=7\n"
              "verbosity=-2\tmmap_limit_mb=0x10\r");

    (void)state;
    assert_true(o.print_text);
    assert_true(o.print_terse);
    assert_true(o.atexit);
    assert_int_equal(o.exitcode, 7);
    assert_int_equal(o.verbosity, -2);
    assert_int_equal(o.mmap_limit_mb, 16);
    assert_string_equal(complaints, "");
}

static void test_quotes_keep_separators(void **state)
{
    const struct mprt_options o =
        parse("log_path='/a b:c,d' log_suffix=\"'x'\":exitcode=3");

    (void)state;
    assert_string_equal(o.log_path, "/a b:c,d");
    assert_string_equal(o.log_suffix, "'x'");
    assert_int_equal(o.exitcode, 3);
}

static void test_the_last_word_counts(void **state)
{
    (void)state;
    assert_int_equal(parse("exitcode=1:exitcode=2").exitcode, 2);
}

static void test_each_bad_word_is_one_line(void **state)
{
    const struct mprt_options o =
        parse("foo=1:atexit=2:exitcode=9z:lonely:print_text=1:log_path='x");

    (void)state;
    assert_string_equal(
        complaints, MPROF_ENV_OPTIONS
        ": unknown option 'foo' (help=1 lists all options)\n" MPROF_ENV_OPTIONS
        ": bad value in 'atexit=2' (help=1 lists all "
        "options)\n" MPROF_ENV_OPTIONS ": bad value in 'exitcode=9z' (help=1 "
        "lists all options)\n" MPROF_ENV_OPTIONS
        ": no '=' after 'lonely' (help=1 lists all options)\n" MPROF_ENV_OPTIONS
        ": no closing quote in 'log_path='x' (help=1 lists all "
        "options)\n");
    assert_true(o.print_text);
    assert_false(o.atexit);
    assert_int_equal(o.exitcode, 1);
}

static void test_numbers_that_do_not_fit_are_bad(void **state)
{
    (void)state;
    assert_int_equal(parse("exitcode=9223372036854775807").exitcode, INT64_MAX);
    assert_string_equal(complaints, "");
    assert_int_equal(parse("exitcode=9223372036854775808").exitcode, 1);
    assert_string_not_equal(complaints, "");
    assert_int_equal(parse("exitcode=1K").exitcode, 1);
    assert_int_equal(parse("sample=524288").sample, 524288);
    assert_int_equal(parse("sample=512K:sample_seed=1").sample, 524288);
    assert_int_equal(parse("sample=2M").sample, 2 << 20);
    assert_int_equal(parse("sample=0x10G").sample, INT64_C(16) << 30);
    assert_int_equal(parse("sample=K").sample, 0);
    assert_int_equal(parse("sample=1KK").sample, 0);
    assert_int_equal(parse("sample=8589934592G").sample, 0);
    assert_int_equal(parse("exitcode=").exitcode, 1);
    assert_int_equal(parse("exitcode=-").exitcode, 1);
    assert_int_equal(parse("exitcode=0x").exitcode, 1);
}

static void test_include_reads_a_file(void **state)
{
    (void)state;
    include_text = "exitcode=5\nprint_text=1\n";
    assert_int_equal(parse("include=there").exitcode, 5);
    assert_string_equal(complaints, "");
    parse("include=missing");
    assert_string_equal(complaints, MPROF_ENV_OPTIONS
                        ": cannot read options from "
                        "'missing' (help=1 lists all options)\n");
    parse("include_if_exists=missing");
    assert_string_equal(complaints, "");
}

static void test_include_of_itself_ends(void **state)
{
    (void)state;
    include_text = "include=there";
    parse("include=there");
}

static void test_the_environment_wins(void **state)
{
    (void)state;
    secure = 0;
    environment = "exitcode=12";
    mprt_options_init();
    assert_int_equal(mprt_options.exitcode, 12);
    assert_int_equal(mprt_options.verbosity, 1);
    assert_string_equal(mprt_options_given(),
                        "exitcode=11:verbosity=1:exitcode=12");
}

static void test_secure_programs_ignore_the_environment(void **state)
{
    (void)state;
    secure = 1;
    environment = "exitcode=12";
    mprt_options_init();
    assert_int_equal(mprt_options.exitcode, 11);
    assert_true(mprt_options_is_secure());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* Options given in several places add up. */
        cmocka_unit_test(test_the_environment_wins),
        cmocka_unit_test(test_secure_programs_ignore_the_environment),
        cmocka_unit_test(test_defaults_are_llvms),
        cmocka_unit_test(test_every_separator_separates),
        cmocka_unit_test(test_quotes_keep_separators),
        cmocka_unit_test(test_the_last_word_counts),
        cmocka_unit_test(test_each_bad_word_is_one_line),
        cmocka_unit_test(test_numbers_that_do_not_fit_are_bad),
        cmocka_unit_test(test_include_reads_a_file),
        cmocka_unit_test(test_include_of_itself_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
