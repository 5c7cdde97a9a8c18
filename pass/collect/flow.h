/* flow.h -- control flow, and barriers that no count may cross.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/Types.h>
#include <stdbool.h>

#include "pass/support/numbers.h"

struct mpass_flow_block {
    LLVMBasicBlockRef block;
    LLVMValueRef terminator;
    unsigned *succs; /* numbers of the successors, each once */
    unsigned *preds;
    unsigned succ_count;
    unsigned pred_count;
    unsigned barrier_count; /* set by plan.c */
};

/* The reachable blocks in reverse postorder. An edge to a block of the same or
 * a lower number is a back edge. */
struct mpass_flow {
    struct mpass_flow_block *blocks;
    size_t count;
    struct mpass_numbers numbers; /* of LLVMBasicBlockRef */
};

void mpass_flow_init(struct mpass_flow *flow, LLVMValueRef function);
void mpass_flow_fini(struct mpass_flow *flow);

/* True if accesses before this instruction must be counted before it: it may
 * free the object, or may not return. */
bool mpass_flow_is_barrier(LLVMValueRef inst);
