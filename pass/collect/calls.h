/* calls.h -- maintains a number for the current call stack at run time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"

/* Instruments all functions of the module that may allocate. Call it after the
 * updates of counters are emitted. True if it changed the module. */
bool mpass_calls_run(struct mpass_context *context);
