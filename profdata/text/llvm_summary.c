/* llvm_summary.c -- LLVM's temperatures of contexts, counted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/llvm_summary.h"
#include "profdata/model/hotness.h"

#include <inttypes.h>

void mpdata_llvm_summary_add(struct mpdata_llvm_summary *summary,
                             const struct mprof_mib *mib)
{
    summary->contexts++;
    if (mpdata_hotness_is_cold(mib)) {
        summary->cold++;
        summary->max_cold_bytes =
            mprof_max_u64(summary->max_cold_bytes, mib->TotalSize);
    } else {
        summary->max_warm_bytes =
            mprof_max_u64(summary->max_warm_bytes, mib->TotalSize);
    }
}

void mpdata_llvm_summary_text(struct mpdata_sink *out,
                              const struct mpdata_llvm_summary *s)
{
    mpdata_sink_format(out,
                       "---\n# MemProfSummary:\n"
                       "#   Total contexts: %" PRIu64 "\n"
                       "#   Total cold contexts: %" PRIu64 "\n"
                       "#   Total hot contexts: %" PRIu64 "\n"
                       "#   Maximum cold context total size: %" PRIu64 "\n"
                       "#   Maximum warm context total size: %" PRIu64 "\n"
                       "#   Maximum hot context total size: %" PRIu64 "\n",
                       s->contexts, s->cold, s->hot, s->max_cold_bytes,
                       s->max_warm_bytes, s->max_hot_bytes);
}
