/* show_leaks.c -- prints leaks as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/view/show.h"

static void print_amount(FILE *out, uint64_t bytes, uint64_t blocks)
{
    fprintf(out, "%s in %s", mpdata_units_bytes(bytes).text,
            mpdata_units_things(blocks, "block").text);
}

void show_leaks_totals(FILE *out, const struct mprof_mib *mib,
                       const struct show_options *options)
{
    const uint64_t reachable = mprof_sub_sat_u64(
        mib->LiveBytes, mib->LeakedBytes + options->suppressed_bytes);

    if (mib->LeakedCount == 0) {
        fputs(mib->SampledCount != 0 ? "nothing of the sampled blocks"
                                     : "nothing",
              out);
    } else {
        fputs(mib->SampledCount != 0 ? "about " : "", out);
        print_amount(out, mib->LeakedBytes, mib->LeakedCount);
        if (mib->IndirectLeakedCount != 0)
            fprintf(out, ", %s of it held by leaked blocks",
                    mpdata_units_bytes(mib->IndirectLeakedBytes).text);
    }
    if (options->suppressed_blocks != 0) {
        fputs("; suppressed: ", out);
        print_amount(out, options->suppressed_bytes,
                     options->suppressed_blocks);
    }
    fprintf(out, "; still reachable: %s", mpdata_units_bytes(reachable).text);
    fputs(mib->LeakCheckedCount < mib->AllocCount
              ? " (not measured in all runs)\n"
              : "\n",
          out);
}

void show_leaks_context(FILE *out, const struct mprof_mib *mib,
                        const char *indent)
{
    if (mib->LeakedCount == 0)
        return;
    fprintf(out, "%sleaked ", indent);
    print_amount(out, mib->LeakedBytes, mib->LeakedCount);
    if (mib->IndirectLeakedCount == mib->LeakedCount)
        fputs(", held by leaked blocks", out);
    else if (mib->IndirectLeakedCount != 0)
        fprintf(out, ", %s of them held by leaked blocks",
                mpdata_units_count(mib->IndirectLeakedCount).text);
    fputc('\n', out);
}

const char *show_leaks_why_not(enum mpdata_metric metric)
{
    return metric == MPDATA_METRIC_LEAKED ||
                   metric == MPDATA_METRIC_LEAKED_BLOCKS
               ? " With MEMPROF_OPTIONS=leaks=1 leaks are looked for when the "
                 "program ends, and when it gets the signal of dump_signal; "
                 "memprof_leaks() looks for them, too. Other dumps, those of "
                 "dump_interval for example, do not have them."
               : "";
}
