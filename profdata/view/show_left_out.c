/* show_left_out.c -- prints which call stacks were filtered out, as notes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/show.h"

void show_left_out(FILE *out, const struct mpdata_left_out_list *list,
                   const char *before)
{
    char text[MPDATA_LEFT_OUT_TEXT_BYTES];

    for (uint32_t i = 0; i < list->count; i++)
        fprintf(out, "%s%s\n", before,
                mpdata_left_out_text(&list->rows[i], text, sizeof(text)));
}
