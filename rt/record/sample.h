/* sample.h -- which blocks are recorded with sample=N, and how many each of
 * them stands for.
 *
 * Samples are a Poisson process over the bytes that a thread allocates, one in
 * N bytes on average: a block of `size` bytes is sampled with a chance of 1 -
 * exp(-size / N), whatever came before. It stands for the reciprocal of that,
 * rounded up or down at random, so that the expected value is exact and
 * everything stays whole numbers. A block much larger than N is always sampled,
 * and stands for itself.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_SAMPLE_H
#define MPRT_SAMPLE_H

#include "rt/base/thread.h"
#include "rt/stack/depot.h"

/* Weights have one bit more. */
#define MPRT_SAMPLE_PERIOD_BITS 29
#define MPRT_SAMPLE_PERIOD_MAX (UINT64_C(1) << MPRT_SAMPLE_PERIOD_BITS)

/* N; 0: all blocks are recorded. Constant after mprt_sample_init(). */
extern MPRT_HIDDEN uint64_t mprt_sample_period;

/* In place of the context of a block that is not sampled: of this process, and
 * not of its parent. */
extern MPRT_HIDDEN uint32_t mprt_sample_unsampled;
static inline bool mprt_sample_is_unsampled(uint32_t context)
{
    return context > MPRT_CONTEXTS_MAX;
}

/* Takes the options; called once. */
void mprt_sample_init(void);
void mprt_sample_start_thread(struct mprt_thread *t);
/* A child's samples are not its parent's. */
void mprt_sample_after_fork(bool is_child, bool is_outermost);

/* How many blocks a sampled one stands for. key: anything that hardly any other
 * block has; the same each time that one is asked about. */
uint32_t mprt_sample_weight(uint64_t size, uint64_t key);

/* The number of bytes from one sample to the next, for the thread. */
void mprt_sample_draw(struct mprt_thread *t);
/* Of a thread without a state. */
bool mprt_sample_is_orphan_due(uint64_t size);

/* True where a block of so many bytes (not 0) is to be sampled; once a block. t
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
