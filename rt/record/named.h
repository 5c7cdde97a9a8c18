/* named.h -- blocks whose accesses the program wants to see by place
 * (__memprof_block_histogram()). Any thread; no locks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Names the live block at p until it ends. False if too many are named. */
bool mprt_named_add(uintptr_t p);
/* Whether the block at p is named; the second function also removes the name.
 */
bool mprt_named_has(uintptr_t p);
bool mprt_named_take(uintptr_t p);
