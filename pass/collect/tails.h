/* tails.h -- decides which calls in tail position may become jumps.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"

/* Call it before anything is inserted. Afterwards, mpass_ir_is_jump() is final.
 */
void mpass_tails_finalize(const struct mpass_context *context);
