/* stats.h -- statistics of the runtime: blocks and memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Bytes that call stacks, MIBs and tables take. */
uint64_t mprt_stats_memory_bytes(void);
/* Prints the allocator's statistics to stderr after the heading. */
void mprt_stats_print(const char *heading);
