/* region.h -- which updates share an accumulator.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_REGION_H
#define MPASS_REGION_H

#include "pass/collect/flow.h"
#include "pass/collect/plan.h"

struct mpass_regions;

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
