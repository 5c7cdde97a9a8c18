/* accumulate.h -- updates by way of an accumulator -> instructions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_ACCUMULATE_H
#define MPASS_ACCUMULATE_H

#include "pass/collect/plan.h"

/* Inserts the plan's accumulators, the updates that use them and the edges. */
void mpass_accumulate_emit(struct mpass_context *context,
                           struct mpass_plan *plan);

#endif
