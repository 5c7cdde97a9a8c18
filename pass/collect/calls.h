/* calls.h -- functions that may allocate say by which calls they were reached.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_CALLS_H
#define MPASS_CALLS_H

#include "pass/collect/context.h"

/* Instruments all functions of the module that may allocate. To be called when
 * accesses are counted. True if something was inserted. */
bool mpass_calls_run(struct mpass_context *context);

/* False where the call certainly leads to no allocation, or to the one body
 * that tells by itself: then the function that makes it leaves no value for it.
 */
bool mpass_calls_may_allocate(const struct mpass_context *context,
                              LLVMValueRef inst);

#endif
