/* show_sampled.c -- prints of how many sampled blocks sums are estimated, and
 * the standard errors of estimates.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/view/show.h"

void show_sampled_totals(FILE *out, const struct mprof_mib *mib)
{
    uint64_t bytes;
    uint64_t blocks;

    fprintf(out, "%s", mpdata_units_things(mib->SampledCount, "block").text);
    if (mpdata_metrics_error(mib, MPDATA_METRIC_BYTES, &bytes) &&
        mpdata_metrics_error(mib, MPDATA_METRIC_BLOCKS, &blocks)) {
        fprintf(out, "; standard errors %s", mpdata_units_bytes(bytes).text);
        fprintf(out, " and %s blocks allocated",
                mpdata_units_count(blocks).text);
    }
    fputc('\n', out);
}

void show_sampled_context(FILE *out, const struct mprof_mib *mib,
                          enum mpdata_metric sort, const char *indent)
{
    uint64_t error;

    if (mib->SampledCount == 0)
        return;
    fprintf(out, "%sfrom %s", indent,
            mpdata_units_things(mib->SampledCount, "sampled block").text);
    if (mpdata_metrics_error(mib, sort, &error))
        fprintf(out, ", standard error %s (%s)",
                mpdata_metrics_text(sort, error).text,
                mpdata_units_share(error, mpdata_metrics_get(mib, sort)).text);
    fputc('\n', out);
}

void show_sampled_bursts(FILE *out, const struct mprof_mib *mib,
                         const char *indent)
{
    uint64_t error;

    if (mib->BurstVariance == 0 || mib->TotalAccessCount == 0 ||
        !mpdata_metrics_error(mib, MPDATA_METRIC_ACCESSES, &error))
        return;
    fprintf(out, "%saccesses counted in bursts, standard error %s (%s)\n",
            indent, mpdata_units_count(error).text,
            mpdata_units_share(error, mib->TotalAccessCount).text);
}
