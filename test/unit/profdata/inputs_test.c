/* inputs_test.c -- tests a directory with many files. test/profdata/inputs.test
 * tests the rest.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/inputs.h"
#include "test/unit/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES 2000u

static char directory[] = "inputs_test.XXXXXX";

static char *name_of(unsigned i)
{
    static char name[64];

    snprintf(name, sizeof(name), "%s/memprof.profraw.%04u.raw", directory, i);
    return name;
}

static int make_files(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return 1;
    /* Not in the order of their names. */
    for (unsigned i = 0; i < FILES; i++) {
        const int fd =
            open(name_of(i * 7 % FILES), O_CREAT | O_WRONLY | O_EXCL, 0600);

        if (fd < 0 || close(fd) != 0)
            return 1;
    }
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FILES; i++)
        unlink(name_of(i));
    return rmdir(directory);
}

static void assert_path(const struct mpdata_inputs *inputs, uint32_t row,
                        const char *path, uint64_t weight)
{
    const struct mpdata_input *const input = mpdata_inputs_get(inputs, row);

    assert_string_equal(input->path, path);
    assert_true(input->weight == weight);
}

static void files_come_by_name(void **state)
{
    struct mpdata_inputs inputs;

    (void)state;
    mpdata_inputs_init(&inputs);
    assert_int_equal(mpdata_inputs_add(&inputs, directory, 3, NULL),
                     MPROF_E_OK);
    assert_int_equal(mpdata_inputs_dedupe(&inputs, NULL), MPROF_E_OK);
    assert_int_equal(inputs.count, FILES);
    for (unsigned i = 0; i < FILES; i++)
        assert_path(&inputs, i, name_of(i), 3);
    mpdata_inputs_fini(&inputs);
}

static void named_files_keep_their_order_and_spelling(void **state)
{
    static const char *const words[] = {"none/x",  "none-a", "/none-x",
                                        "none//x", "none/x", "none/"};
    struct mpdata_inputs inputs;

    (void)state;
    mpdata_inputs_init(&inputs);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(words); i++)
        assert_int_equal(mpdata_inputs_add(&inputs, words[i], i + 1, NULL),
                         MPROF_E_OK);
    assert_int_equal(mpdata_inputs_dedupe(&inputs, NULL), MPROF_E_OK);
    assert_int_equal(inputs.count, MPROF_ARRAY_LEN(words));
    for (uint32_t i = 0; i < inputs.count; i++)
        assert_path(&inputs, i, words[i], i + 1);
    mpdata_inputs_fini(&inputs);
}

/* A file that is named stays at its position; the output is skipped. */
static void what_was_found_again_goes(void **state)
{
    struct mpdata_inputs inputs;
    char out[64];

    (void)state;
    strcpy(out, name_of(5));
    mpdata_inputs_init(&inputs);
    assert_int_equal(mpdata_inputs_add(&inputs, directory, 1, NULL),
                     MPROF_E_OK);
    assert_int_equal(mpdata_inputs_add(&inputs, name_of(9), 2, NULL),
                     MPROF_E_OK);
    assert_int_equal(mpdata_inputs_add(&inputs, directory, 4, NULL),
                     MPROF_E_OK);
    assert_int_equal(mpdata_inputs_dedupe(&inputs, out), MPROF_E_OK);
    assert_int_equal(inputs.count, FILES - 1);
    assert_int_equal(inputs.own_output, 2);
    assert_int_equal(inputs.again, FILES);
    assert_path(&inputs, 0, name_of(9), 2);
    assert_path(&inputs, 1, name_of(0), 4);
    assert_path(&inputs, FILES - 2, name_of(FILES - 1), 4);
    mpdata_inputs_fini(&inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_by_name),
        cmocka_unit_test(named_files_keep_their_order_and_spelling),
        cmocka_unit_test(what_was_found_again_goes),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
