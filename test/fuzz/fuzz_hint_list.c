/* fuzz_hint_list.c -- libFuzzer target: lists of hints.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/hint_list.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A row without a star fits itself, or an earlier one does. */
static void look_up(const struct mpdata_hint_list *list)
{
    for (uint32_t i = 0; i < list->rows.count; i++) {
        struct mpdata_hint_list_row *const row =
            (struct mpdata_hint_list_row *)list->rows.data + i;

        if (row->pattern[0] == '\0' || row->line == 0)
            abort();
        if (strchr(row->pattern, '*') == NULL &&
            mpdata_hint_list_find(list, row->pattern) > row)
            abort();
        (void)mpdata_hint_list_find(list, "aab");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_hint_list list;
    const enum mprof_err err =
        mpdata_hint_list_read(&list, (const char *)data, size);

    if (err == MPROF_E_VALUE && list.bad_line == 0)
        abort();
    /* Each row is compared with each. */
    if (err == MPROF_E_OK && list.rows.count < 100)
        look_up(&list);
    mpdata_hint_list_fini(&list);
    return 0;
}
