/* pair_cost.h -- what a pair of malloc and free costs without the profiler: a
 * block is allocated and freed again and again with this process's allocator,
 * on this machine. A program whose heap is full, whose threads share it, or
 * whose blocks are freed later pays more.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdint.h>

/* Nanoseconds for a pair of this size; 0: not measured. Takes about a thousand
 * pairs. Large blocks cost most when their pages are touched first, and how
 * long glibc keeps them depends on the program, so they are not measured. */
#define MPDATA_PAIR_BYTES_MAX (UINT64_C(64) << 10)
double mpdata_pair_cost_ns(uint64_t bytes);
