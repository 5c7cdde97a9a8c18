/* region.h -- which updates share an accumulator.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_REGION_H
#define MPASS_REGION_H

#include "pass/bridge/analysis.h"
#include "pass/collect/flow.h"
#include "pass/collect/plan.h"

/* What one origin makes of a block. */
struct mpass_mark {
    double likely; /* that a node comes next, at the block's start */
    const struct mpass_node *node; /* the first in the block, or NULL */
    bool touched;                  /* in mpass_regions.touched */
    bool starts;                   /* in mpass_plan.starts */
    bool head;                     /* a node stands before the first barrier */
    bool tail;                     /* a node stands behind the last barrier */
    bool defines;                  /* defines the origin */
    bool may_in;                   /* may hold counts at the start */
    bool may_out;                  /* ... at the end */
    bool must_in;  /* an access came before on all paths, at the start */
    bool must_out; /* ... at the end */
};

struct mpass_regions {
    const struct mpass_flow *flow;
    struct mpass_context *context;
    struct mpass_analysis *analysis; /* made on first need */
    struct mpass_mark *marks;        /* one per block */
    double **probabilities;          /* per block and successor; or NULL */
    unsigned *touched;               /* blocks with a mark, in order */
    size_t touched_count;
    unsigned accumulators;
};

struct mpass_regions *mpass_region_begin(const struct mpass_flow *flow,
                                         struct mpass_context *context);
void mpass_region_end(struct mpass_regions *regions);

/* Decides which nodes of the origin share an accumulator, whose number is
 * plan->accumulator_count: sets their may_before and may_after and adds
 * to plan->edges. Returns false if none do. */
bool mpass_region_plan(struct mpass_regions *regions, struct mpass_plan *plan,
                       LLVMValueRef origin, struct mpass_node *nodes,
                       size_t count);

#endif
