/* holders.h -- finds which leaked blocks hold which others, by call stack: a
 * block holds the blocks that can be reached from it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/leaks/mark.h"

/* Appends a row (struct mprt_mibmap_held) for each pair of contexts below
 * `contexts` where leaked blocks of one hold leaked blocks of the other,
 * directly or through further blocks. Appends nothing and returns false if
 * there are too many pairs or no memory. Call it after mprt_mark_sum(). */
bool mprt_holders_find(struct mprof_buf *held, uint32_t contexts);
