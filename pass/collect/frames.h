/* frames.h -- lets functions keep a frame pointer, so that the runtime can walk
 * call stacks quickly.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"

/* Requests frame pointers in all functions that call others, except functions
 * that use the register otherwise. Call it after inlining. */
void mpass_frames_keep(const struct mpass_context *context);
