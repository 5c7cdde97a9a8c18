/* accumulate.h -- updates by way of an accumulator -> instructions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_ACCUMULATE_H
#define MPASS_ACCUMULATE_H

#include "pass/collect/plan.h"

/* False where LLVM cannot insert anything on an edge on which a count has to be
 * flushed. Counts come along branches and switches only
 * (mpass_flow_is_barrier), so this is not expected; but a function that is half
 * written could not be taken back. */
bool mpass_accumulate_can_emit(const struct mpass_plan *plan);

/* Inserts the plan's accumulators, the updates that use them and the edges.
 * mpass_accumulate_can_emit() holds. */
void mpass_accumulate_emit(struct mpass_context *context,
                           struct mpass_plan *plan);

#endif
