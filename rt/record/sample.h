/* sample.h -- chooses the blocks that are recorded with sample=N, and computes
 * how many blocks each stands for.
 *
 * Samples are a Poisson process over the bytes that a thread allocates, one per
 * N bytes on average: a block of `size` bytes is sampled with probability 1 -
 * exp(-size / N), independent of earlier blocks. It stands for the reciprocal
 * of that number of blocks, randomly rounded up or down so that the expected
 * value is exact and weights are integers. A block much larger than N is always
 * sampled and stands for itself.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"

/* A weight needs one bit more. */
#define MPRT_SAMPLE_PERIOD_BITS 29
#define MPRT_SAMPLE_PERIOD_MAX (UINT64_C(1) << MPRT_SAMPLE_PERIOD_BITS)

/* N, or 0 if all blocks are recorded. Constant after mprt_sample_init(). */
extern MPRT_HIDDEN uint64_t mprt_sample_period;

/* Unsampled blocks are blocks of the allocator behind ours (rt/api/behind.h).
 * False until libc is ready, with leaks=1, and without such an allocator: then
 * they are blocks of our heap that are not recorded. */
extern MPRT_HIDDEN bool mprt_sample_is_outside;

/* Takes the options; called once. */
void mprt_sample_init(void);
void mprt_sample_start_thread(struct mprt_thread *t);
/* Gives a forked child other samples than its parent. */
void mprt_sample_after_fork(bool is_child, bool is_outermost);

/* Number of blocks that a sampled block stands for. key: a value that
 * identifies the block, the same for each call. */
uint32_t mprt_sample_weight(uint64_t size, uint64_t key);

/* Whether the next block of this thread, with this size, is unsampled and not
 * to be recorded. Call it once per block. */
bool mprt_sample_leaves_out(uint64_t size);

/* The same for the common case. False, without effect, if
 * mprt_sample_leaves_out() must tell. */
static inline bool mprt_sample_passes(uint64_t size)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    if (MPROF_UNLIKELY(t == NULL || size - 1 >= (uint64_t)t->sample.left))
        return false;
    t->sample.left -= (int64_t)size;
    t->last.header = NULL; /* no block before is the last allocation now */
    return true;
}
