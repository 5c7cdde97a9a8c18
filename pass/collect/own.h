/* own.h -- reports the blocks of the program's own allocation functions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"

/* Instruments the calls of the functions that -memprof-own-malloc names. Call
 * it before functions are inlined. Does nothing if it was called before. */
void mpass_own_run(struct mpass_context *context);
