/* accumulate.h -- emits the updates that use accumulators.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/plan.h"

/* False if LLVM cannot insert code on an edge on which an accumulator has to be
 * flushed. This is not expected, because counts are pending only along branches
 * and switches (mpass_flow_is_barrier). Checked in advance, because a partly
 * instrumented function cannot be restored. */
bool mpass_accumulate_can_emit(const struct mpass_plan *plan);

/* Inserts the plan's accumulators, the updates that use them, and the flushes
 * on edges. mpass_accumulate_can_emit() must be true. */
void mpass_accumulate_emit(struct mpass_context *context,
                           struct mpass_plan *plan);
