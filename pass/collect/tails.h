/* tails.h -- which calls in tail position become jumps.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_TAILS_H
#define MPASS_TAILS_H

#include "pass/collect/context.h"

/* To be called before anything is inserted: what mpass_ir_is_jump() says holds
 * afterwards. */
void mpass_tails_settle(const struct mpass_context *context);

#endif
