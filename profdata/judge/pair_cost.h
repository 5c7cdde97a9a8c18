/* pair_cost.h -- what a pair of malloc and free costs without the profiler: a
 * block is allocated and freed again and again with this process's allocator,
 * on this machine. A program whose heap is full, whose threads share it, or
 * whose blocks are freed later pays more.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdint.h>

/* Nanoseconds for a pair of this size; 0: no such block can be allocated.
 * Takes about a thousand pairs. */
double mpdata_pair_ns(uint64_t bytes);
