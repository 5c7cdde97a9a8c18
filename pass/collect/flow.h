/* flow.h -- control flow, and where no count may wait.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_FLOW_H
#define MPASS_FLOW_H

#include <llvm-c/Types.h>
#include <stdbool.h>

#include "pass/support/numbers.h"

struct mpass_flow_block {
    LLVMBasicBlockRef block;
    LLVMValueRef terminator;
    unsigned *succs; /* each once */
    unsigned *preds;
    unsigned succ_count;
    unsigned pred_count;
    unsigned barrier_count; /* set by plan.c */
};

/* The blocks that the entry reaches, in reverse postorder; an edge to a block
 * of the same or a lower number leads back. */
struct mpass_flow {
    struct mpass_flow_block *blocks;
    size_t count;
    struct mpass_numbers numbers; /* of LLVMBasicBlockRef */
};

void mpass_flow_init(struct mpass_flow *flow, LLVMValueRef function);
void mpass_flow_fini(struct mpass_flow *flow);

/* True if what was accessed before must be counted before: afterwards the
 * object may be gone, or the thread. */
bool mpass_flow_is_barrier(LLVMValueRef inst);

#endif
