/* show_value.c -- prints a value of the sort metric in columns.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/view/show.h"

void show_value_print(FILE *out, const struct show_options *options,
                      uint64_t value, uint64_t whole)
{
    char text[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];

    mpdata_metrics_text(options->sort, value, text, sizeof(text));
    fprintf(out, "%9s  %s%7s%s  ", value != 0 ? text : "-",
            options->style.accent,
            value != 0 && options->sort != MPDATA_METRIC_LIFETIME
                ? mpdata_units_share(value, whole, share, sizeof(share))
                : "",
            options->style.reset);
}
