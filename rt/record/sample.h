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
#ifndef MPRT_SAMPLE_H
#define MPRT_SAMPLE_H

#include "rt/base/thread.h"
#include "rt/stack/depot.h"

/* A weight needs one bit more. */
#define MPRT_SAMPLE_PERIOD_BITS 29
#define MPRT_SAMPLE_PERIOD_MAX (UINT64_C(1) << MPRT_SAMPLE_PERIOD_BITS)

/* N, or 0 if all blocks are recorded. Constant after mprt_sample_init(). */
extern MPRT_HIDDEN uint64_t mprt_sample_period;

/* Context number that marks an unsampled block of this process. A forked child
 * has another, which tells the parent's blocks apart. */
extern MPRT_HIDDEN uint32_t mprt_sample_unsampled;
static inline bool mprt_sample_is_unsampled(uint32_t context)
{
    return context > MPRT_CONTEXTS_MAX;
}

/* Takes the options; called once. */
void mprt_sample_init(void);
void mprt_sample_start_thread(struct mprt_thread *t);
/* Gives a forked child other samples than its parent. */
void mprt_sample_after_fork(bool is_child, bool is_outermost);

/* Number of blocks that a sampled block stands for. key: a value that
 * identifies the block, the same for each call. */
uint32_t mprt_sample_weight(uint64_t size, uint64_t key);

/* Draws the number of bytes to the thread's next sample. */
void mprt_sample_draw(struct mprt_thread *t);
/* mprt_sample_is_due() for a thread without a state. */
bool mprt_sample_is_orphan_due(uint64_t size);

/* Whether a block of this size (not 0) is sampled. Call it once per block. t
 * may be NULL. */
static inline bool mprt_sample_is_due(struct mprt_thread *t, uint64_t size)
{
    if (MPROF_UNLIKELY(t == NULL))
        return mprt_sample_is_orphan_due(size);
    t->sample.left -= (int64_t)size;
    if (MPROF_LIKELY(t->sample.left >= 0))
        return false;
    mprt_sample_draw(t);
    return true;
}

#endif
