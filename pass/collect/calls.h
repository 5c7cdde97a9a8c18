/* calls.h -- functions that may allocate say by which calls they were reached.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_CALLS_H
#define MPASS_CALLS_H

#include "pass/collect/context.h"

/* Instruments all functions of the module that may allocate. To be called when
 * accesses are counted. True if something was inserted. */
bool mpass_calls_run(struct mpass_context *context);

#endif
