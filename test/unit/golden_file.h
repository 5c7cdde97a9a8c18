/* golden_file.h -- reads and writes files under test/golden, for unit tests.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "test/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>

/* Of test/golden/llvm-indexed, see README.txt there. */
#define GOLDEN_LLVM_CONTEXTS 10
#define GOLDEN_LLVM_ALLOC_COUNT 214
#define GOLDEN_LLVM_TOTAL_SIZE 163312

static inline void golden_path(char *out, size_t size, const char *folder,
                               const char *name)
{
    const char *root = getenv("MEMPROF_TEST_ROOT");

    snprintf(out, size, "%s/test/golden/%s/%s", root != NULL ? root : ".",
             folder, name);
}

/* The bytes of test/golden/FOLDER/NAME, malloc'd; fails the test without. */
static inline uint8_t *golden_read(const char *folder, const char *name,
                                   size_t *size)
{
    char path[1024];
    uint8_t *data;
    FILE *file;

    golden_path(path, sizeof(path), folder, name);
    file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    data = malloc(*size + 1);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}
