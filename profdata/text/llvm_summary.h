/* llvm_summary.h -- the head of LLVM's text: how many contexts of which
 * temperature.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_SUMMARY_H
#define MPDATA_LLVM_SUMMARY_H

#include "profdata/base/sink.h"
#include "shared/mib.h"

struct mpdata_llvm_summary {
    uint64_t contexts;
    uint64_t cold;
    uint64_t hot;
    uint64_t max_cold_bytes;
    uint64_t max_warm_bytes;
    uint64_t max_hot_bytes;
};

/* Adds a context by LLVM's classification, at its default thresholds. */
void mpdata_llvm_summary_add(struct mpdata_llvm_summary *summary,
                             const struct mprof_mib *mib);
void mpdata_llvm_summary_text(struct mpdata_sink *out,
                              const struct mpdata_llvm_summary *summary);

#endif
