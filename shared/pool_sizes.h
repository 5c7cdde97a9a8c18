/* pool_sizes.h -- sizes of the pools of libmemprof_alloc, by which memprofdata
 * predicts what blocks take there.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

/* Larger blocks do not go to a pool, smaller ones take as much. */
#define MPROF_POOL_BYTES_MAX 512
#define MPROF_POOL_BYTES_MIN 16
/* A pool consists of spans. What blocks may take of one. */
#define MPROF_POOL_SPAN_BYTES 65536
#define MPROF_POOL_SPAN_USABLE 64440
