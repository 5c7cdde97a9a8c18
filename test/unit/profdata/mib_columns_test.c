/* mib_columns_test.c -- tests MIBs in columns: the sum of all rows equals the
 * sum of the rows one by one, with empty rows, columns without bytes and sums
 * that saturate.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/mib_columns.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

enum { ROWS = 50 };

static uint8_t bytes[MPROF_MIB_FIELDS][8 * ROWS];

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Columns of any widths, the same for each field or for each row. */
static void fill(struct mpdata_mib_columns *columns, uint64_t seed,
                 bool has_empty)
{
    static const uint8_t widths[] = {0, 1, 2, 4, 8};
    uint64_t state = seed;

    *columns = (struct mpdata_mib_columns){.count = 0};
    for (size_t field = 0; field < MPROF_MIB_FIELDS; field++) {
        const uint8_t width = widths[next_random(&state) % 5];
        const uint64_t base = next_random(&state) % 4 == 0
                                  ? UINT64_MAX / 30
                                  : next_random(&state) % 1000 + !has_empty;

        if (width == 0) {
            mprof_mib_set(&columns->same, field, base);
            continue;
        }
        for (size_t i = 0; i < sizeof(bytes[field]); i++)
            bytes[field][i] = i % 8 < 7 && next_random(&state) % 3 != 0
                                  ? (uint8_t)next_random(&state)
                                  : 0;
        columns->columns[columns->count] = (struct mprof_column){
            .data = bytes[field], .width = width, .base = has_empty ? 0 : base};
        columns->fields[columns->count++] = field;
    }
}

static void the_sum_of_columns_is_that_of_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 2000; seed++) {
        const uint64_t rows = seed % (ROWS + 1);
        struct mprof_mib sum = {.AllocCount = 0};
        struct mpdata_mib_columns columns;
        struct mprof_mib fast;

        fill(&columns, seed, seed % 2 == 0);
        for (uint64_t i = 0; i < rows; i++) {
            const struct mprof_mib mib = mpdata_mib_columns_get(&columns, i);

            mprof_mib_merge(&sum, &mib);
        }
        fast = mpdata_mib_columns_sum(&columns, rows);
        assert_memory_equal(&fast, &sum, sizeof(sum));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_of_columns_is_that_of_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
