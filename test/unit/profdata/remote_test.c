/* remote_test.c -- tests the messages about a symbolizer process that
 * misbehaves. The processes here are scripts; their standard input is a socket,
 * and ->&0 writes to it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbolizer.h"
#include "test/unit/cmocka_all.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Eight bytes with a number below 256, as the script writes it. */
#define BYTES(octal) "\\" octal "\\000\\000\\000\\000\\000\\000\\000"
#define OPENED "printf '" BYTES("000") "' >&0\n"
/* Runs until it is killed. */
#define STAYS "; exec sleep 1000"

static char script[] = "/tmp/remote_test.XXXXXX";

static void write_script(const char *text)
{
    FILE *const file = fopen(script, "w");

    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s", text);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(script, 0700), 0);
}

static const struct mpdata_remote_file file = {
    .path = "file", .debug = "", .dwp = "", .wants_lines = true};

/* Asks a script for two addresses, and checks why it cannot answer. */
static void expect(const char *text, const char *error)
{
    static const uint64_t addresses[2] = {1, 2};
    struct mpdata_symbols symbols;
    struct mpdata_remote *remote;

    mpdata_symbols_init(&symbols);
    write_script(text);
    remote = mpdata_remote_open(script, &file);
    assert_non_null(remote);
    assert_false(mpdata_remote_lookup(remote, addresses, 2, &symbols));
    assert_int_equal(symbols.locations.count, 0);
    assert_string_equal(mpdata_remote_error(remote), error);
    /* It is not asked again either. */
    assert_null(mpdata_remote_demangle(remote, "_Z1fv"));
    assert_string_equal(mpdata_remote_error(remote), error);
    mpdata_remote_close(remote);
    /* No process is left. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void its_end_is_said(void **state)
{
    (void)state;
    expect("kill -SEGV $$",
           "the reader of debug information ended with signal 11");
    expect(OPENED "kill -BUS $$",
           "the reader of debug information ended with signal 7");
    expect(OPENED "kill -ABRT $$", "the reader of debug information gave "
                                   "up, or took too much memory");
    expect(OPENED "kill -XCPU $$",
           "the reader of debug information took too long");
    expect(OPENED "kill -ALRM $$",
           "the reader of debug information took too long");
    expect("exit 0", "the reader of debug information ended");
    expect("exit 3", "memprofdata-symbolizer is of another version of memprof");
}

static void what_it_says_of_the_file_is_said(void **state)
{
    (void)state;
    expect("printf '" BYTES("005") "wrong' >&0\n", "wrong");
}

static void a_wrong_answer_is_none(void **state)
{
    static const char nonsense[] =
        "the reader of debug information sent invalid data";

    (void)state;
    expect(OPENED "printf '" BYTES("000") "' >&0" STAYS, nonsense);
    expect(OPENED "printf '" BYTES("004") "\\377\\377\\377\\377' >&0" STAYS,
           nonsense);
    /* Symbols without an address: no split, string, frame, location. */
    expect(OPENED "printf '" BYTES("020") BYTES("000")
               BYTES("000") "' >&0" STAYS,
           nonsense);
    /* More frames than bytes. */
    expect(OPENED "printf '" BYTES("014")
               BYTES("000") "\\377\\377\\000\\000' >&0" STAYS,
           nonsense);
    /* A text without an end. */
    expect(OPENED "printf '" BYTES(
               "012") "\\000\\000\\000\\000\\002\\000\\000\\000\\000a' "
                      ">&0" STAYS,
           nonsense);
    /* The answer ends too early. */
    expect(OPENED "printf '" BYTES("377") "a' >&0; exit 0",
           "the reader of debug information ended");
    expect("printf '\\377\\377\\377\\377\\377\\377\\377\\377' >&0" STAYS,
           "the reader of debug information sent too much data");
}

static void a_reader_that_is_not_there(void **state)
{
    struct mpdata_remote *const remote =
        mpdata_remote_open("/nonexistent/reader", NULL);

    (void)state;
    assert_non_null(remote);
    assert_null(mpdata_remote_demangle(remote, "_Z1fv"));
    assert_string_equal(mpdata_remote_error(remote),
                        "/nonexistent/reader: No such file or directory");
    mpdata_remote_close(remote);
    mpdata_remote_close(NULL);
}

/* The symbolizer receives signals that our program ignores or blocks. */
static void a_reader_has_its_signals(void **state)
{
    sigset_t all;
    sigset_t before;

    (void)state;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    signal(SIGXCPU, SIG_IGN);
    expect(OPENED "kill -XCPU $$; exit 0",
           "the reader of debug information took too long");
    signal(SIGXCPU, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_end_is_said),
        cmocka_unit_test(what_it_says_of_the_file_is_said),
        cmocka_unit_test(a_wrong_answer_is_none),
        cmocka_unit_test(a_reader_that_is_not_there),
        cmocka_unit_test(a_reader_has_its_signals),
    };
    const int fd = mkstemp(script);
    int failed;

    if (fd < 0 || close(fd) != 0)
        return 2;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(script);
    return failed;
}
