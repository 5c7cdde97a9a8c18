/* show_left_out.c -- prints which call stacks were filtered out, and which
 * frames are hidden, as notes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/view/show.h"

void show_left_out_wrappers(FILE *out, const struct show_options *options,
                            const char *before)
{
    char count[MPDATA_UNIT_BYTES];

    if (options->wrapped != 0)
        fprintf(out,
                "%sallocation wrappers are hidden in %s call stack%s; "
                "--wrappers shows them\n",
                before,
                mpdata_units_count(options->wrapped, count, sizeof(count)),
                mpdata_units_plural(options->wrapped));
}

void show_left_out(FILE *out, const struct mpdata_left_out_list *list,
                   const char *before)
{
    char text[MPDATA_LEFT_OUT_TEXT_BYTES];

    for (uint32_t i = 0; i < list->count; i++)
        fprintf(out, "%s%s\n", before,
                mpdata_left_out_text(&list->rows[i], text, sizeof(text)));
}
