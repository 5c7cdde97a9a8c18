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
 * N may change while the program runs. Each block keeps the number of the rate
 * with which it was chosen, so its weight does not change. A thread takes a new
 * rate before it chooses its next block; because the process is memoryless, the
 * block is then chosen by the new rate alone.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"

/* A weight needs one bit more. */
#define MPRT_SAMPLE_PERIOD_BITS 29
#define MPRT_SAMPLE_PERIOD_MAX (UINT64_C(1) << MPRT_SAMPLE_PERIOD_BITS)

#define MPRT_SAMPLE_RATE_BITS 4
#define MPRT_SAMPLE_RATES (1u << MPRT_SAMPLE_RATE_BITS)

/* The longest N since the start; 0 while all blocks were recorded. */
extern MPRT_HIDDEN uint64_t mprt_sample_period;
/* The N of each rate; 0: all blocks are recorded. The first one is that of the
 * start. */
extern MPRT_HIDDEN uint64_t mprt_sample_rates[MPRT_SAMPLE_RATES];
/* Number of the present rate. */
extern MPRT_HIDDEN _Atomic uint32_t mprt_sample_rate;

/* Unsampled blocks are blocks of the allocator behind ours (rt/api/behind.h).
 * False until libc is ready, with leaks=1, and without such an allocator: then
 * they are blocks of our heap that are not recorded. */
extern MPRT_HIDDEN bool mprt_sample_is_outside;

/* Takes the options; called once. */
void mprt_sample_init(void);
/* From here on, unsampled blocks may be blocks of the allocator behind ours. */
void mprt_sample_allow_outside(void);
/* Records one block in `period` bytes from now on, all blocks if it is 0.
 * Returns false if there were MPRT_SAMPLE_RATES others before. One thread at a
 * time. */
bool mprt_sample_set(uint64_t period);
void mprt_sample_start_thread(struct mprt_thread *t);
/* Gives a forked child other samples than its parent. */
void mprt_sample_in_child(void);

/* Number of blocks that a sampled block stands for. rate: with which it was
 * chosen. key: a value that identifies the block, the same for each call. */
uint32_t mprt_sample_weight(uint64_t size, uint32_t rate, uint64_t key);

/* Whether the next block of this thread, with this size, is unsampled and not
 * to be recorded. Call it once per block. */
bool mprt_sample_leaves_out(uint64_t size);

static inline uint32_t mprt_sample_rate_now(void)
{
    /* Pairs with the release in mprt_sample_set(), after which the rate has its
     * N. */
    return MPRT_LOAD_ACQUIRE(mprt_sample_rate);
}

/* Number of the rate by which this thread chose its last block. */
static inline uint32_t mprt_sample_rate_of(const struct mprt_thread *t)
{
    return MPROF_LIKELY(t != NULL) ? t->sample.rate : mprt_sample_rate_now();
}

/* Counts down by an unsampled block. False, without effect, if the block is
 * sampled. */
static inline bool mprt_sample_count_down(struct mprt_thread *t, uint64_t size)
{
    if (MPROF_UNLIKELY(size - 1 >= (uint64_t)t->sample.left))
        return false;
    t->sample.left -= (int64_t)size;
    t->last.header = NULL; /* no block before is the last allocation now */
    return true;
}

/* mprt_sample_leaves_out() for the common case. False, without effect, if
 * mprt_sample_leaves_out() must tell. */
static inline bool mprt_sample_passes(uint64_t size)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    return MPROF_LIKELY(t != NULL &&
                        t->sample.rate == mprt_sample_rate_now()) &&
           mprt_sample_count_down(t, size);
}
