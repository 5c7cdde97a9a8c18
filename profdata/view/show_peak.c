/* show_peak.c -- prints the blocks that were live at the peaks of the runs.
 *
 * A run records its peak and each call stack's part of it. The sum over some of
 * the call stacks is their part of the run's peak; their own peak, which may be
 * at another time, is unknown.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/view/show.h"

/* Is the sum only a part of the run's peak, because contexts were filtered out?
 */
static bool is_part(const struct mpdata_top_list *list,
                    const struct show_options *options)
{
    return list->totals.PeakBytes != list->runs.peak_bytes &&
           (options->suppressed_blocks != 0 || options->is_left_out);
}

void show_peak_totals(FILE *out, const struct mpdata_top_list *list,
                      const struct show_options *options)
{
    const uint64_t runs = list->runs.peak_runs;
    const uint64_t blocks = list->totals.PeakCount;
    const char *const about = list->totals.SampledCount != 0 ? "about " : "";

    fprintf(out, "%s%s in %s%s", about,
            mpdata_units_bytes(is_part(list, options) ? list->totals.PeakBytes
                                                      : list->runs.peak_bytes)
                .text,
            about, mpdata_units_things(blocks, "block").text);
    if (is_part(list, options))
        fprintf(out, ", of the run%s peak%s of %s%s", runs == 1 ? "'s" : "s'",
                runs == 1 ? "" : "s", about,
                mpdata_units_bytes(list->runs.peak_bytes).text);
    if (runs != 1)
        fputs(", summed over all runs", out);
    else if (list->runs.peak_ns != 0)
        fprintf(out, ", %s after the start",
                mpdata_units_ns(list->runs.peak_ns).text);
    fputs(list->totals.MeasuredCount < list->totals.AllocCount
              ? " (not measured in all runs)\n"
              : "\n",
          out);
}

void show_peak_context(FILE *out, const struct mprof_mib *mib,
                       enum mpdata_metric sort, const char *indent)
{
    if (mib->MeasuredCount == 0 ||
        (sort != MPDATA_METRIC_PEAK && sort != MPDATA_METRIC_PEAK_BLOCKS &&
         sort != MPDATA_METRIC_TEMPORARY))
        return;
    fprintf(out, "%sat the peak %s in %s, most at a time %s, %s temporary\n",
            indent, mpdata_units_bytes(mib->PeakBytes).text,
            mpdata_units_things(mib->PeakCount, "block").text,
            mpdata_units_bytes(mib->MaxLiveBytes).text,
            mpdata_units_share(mib->TemporaryCount, mib->MeasuredCount).text);
}
