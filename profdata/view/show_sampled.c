/* show_sampled.c -- prints of how many sampled blocks sums are estimated, and
 * their standard errors.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/view/show.h"

void show_sampled_totals(FILE *out, const struct mprof_mib *mib)
{
    char text[MPDATA_UNIT_BYTES];
    uint64_t bytes;
    uint64_t blocks;

    fprintf(out, "%s block%s",
            mpdata_units_count(mib->SampledCount, text, sizeof(text)),
            mpdata_units_plural(mib->SampledCount));
    if (mpdata_metrics_error(mib, MPDATA_METRIC_BYTES, &bytes) &&
        mpdata_metrics_error(mib, MPDATA_METRIC_BLOCKS, &blocks)) {
        fprintf(out, "; standard errors %s",
                mpdata_units_bytes(bytes, text, sizeof(text)));
        fprintf(out, " and %s blocks allocated",
                mpdata_units_count(blocks, text, sizeof(text)));
    }
    fputc('\n', out);
}

void show_sampled_context(FILE *out, const struct mprof_mib *mib,
                          enum mpdata_metric sort, const char *indent)
{
    char number[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];
    uint64_t error;

    if (mib->SampledCount == 0)
        return;
    fprintf(out, "%sfrom %s sampled block%s", indent,
            mpdata_units_count(mib->SampledCount, number, sizeof(number)),
            mpdata_units_plural(mib->SampledCount));
    if (mpdata_metrics_error(mib, sort, &error))
        fprintf(out, ", standard error %s (%s)",
                mpdata_metrics_text(sort, error, number, sizeof(number)),
                mpdata_units_share(error, mpdata_metrics_get(mib, sort), share,
                                   sizeof(share)));
    fputc('\n', out);
}
