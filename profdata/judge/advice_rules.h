/* advice_rules.h -- the rules of advice.h, for one call stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/judge/advice.h"
#include "profdata/judge/verdict.h"
#include "profdata/query/run_totals.h"

/* What a rule found for a call stack. */
struct mpdata_advice_found {
    uint64_t saved_bytes;
    uint64_t saved_calls;
    uint64_t number;
};

struct mpdata_advice_rules {
    struct mpdata_view view;
    struct mpdata_sites sites;
    struct mpdata_verdicts verdicts;
    struct mpdata_run_totals runs;
    bool held[MPDATA_METRIC_COUNT];
    bool is_of_peak; /* only rows of PEAK are wanted */
};

/* The call stack's bytes at the peak or, if it is unknown, all. */
uint64_t mpdata_advice_rules_bytes(const struct mpdata_advice_rules *r,
                                   const struct mprof_mib *mib);

/* Returns the first rule from `kind` on that holds, or `end`; there are rules
 * for kinds before PEAK. */
enum mpdata_advice_kind mpdata_advice_rules_first(
    const struct mpdata_advice_rules *r, uint32_t context,
    const struct mprof_mib *mib, enum mpdata_advice_kind kind,
    enum mpdata_advice_kind end, struct mpdata_advice_found *found);
