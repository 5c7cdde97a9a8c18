/* region.h -- decides which nodes share an accumulator.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/bridge/analysis.h"
#include "pass/collect/flow.h"
#include "pass/collect/plan.h"

/* Facts about a basic block for the current origin. */
struct mpass_mark {
    double likely; /* probability, at the start, that a node comes next */
    const struct mpass_node *node; /* the first node in the block, or NULL */
    bool touched;                  /* in mpass_regions.touched */
    bool starts;                   /* in mpass_plan.starts */
    bool head;                     /* has a node before the first barrier */
    bool tail;                     /* has a node after the last barrier */
    bool defines;                  /* defines the origin */
    bool may_in;                   /* counts may be pending at the start */
    bool may_out;                  /* ... at the end */
    bool must_in;                  /* an access came before the start */
    bool must_out;                 /* ... before the end */
};

struct mpass_regions {
    const struct mpass_flow *flow;
    struct mpass_context *context;
    struct mpass_analysis *analysis; /* NULL until needed */
    struct mpass_mark *marks;        /* one per block */
    double **probabilities; /* per block and successor; NULL: unknown */
    unsigned *touched;      /* blocks with a mark */
    size_t touched_count;
    unsigned accumulators; /* of the function */
};

/* State for planning one function. mpass_region_end() accepts NULL. */
struct mpass_regions *mpass_region_begin(const struct mpass_flow *flow,
                                         struct mpass_context *context);
void mpass_region_end(struct mpass_regions *regions);

/* Decides which nodes of the origin share an accumulator, which gets the number
 * plan->accumulator_count. Sets may_before, must_before and may_after of the
 * nodes, and adds to plan->edges and plan->starts. Returns false if no nodes
 * share one. */
bool mpass_region_plan(struct mpass_regions *regions, struct mpass_plan *plan,
                       LLVMValueRef origin, struct mpass_node *nodes,
                       size_t count);
