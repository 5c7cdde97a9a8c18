/* live.h -- live bytes and blocks: of the whole program, for its peak, and of
 * each context, for its maximum. Call inside the guard.
 *
 * A peak is recorded when it is over, so a growing heap costs only counting. A
 * block was alive at the last peak if it was born no later; births after a peak
 * get a later time (mprt_live_birth_ns()), which makes this exact with one
 * thread. With several threads, each publishes its change in portions, so the
 * recorded peak may be too low by MPRT_LIVE_SLACK_BYTES per thread. The maximum
 * of a context is exact.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/lock.h"
#include "rt/base/thread.h"

#define MPRT_LIVE_SLACK_BYTES 16384

/* Reserves the table; ends the program without address space. Called once. */
void mprt_live_init(void);
/* Resets everything in a forked child, where no block of its own lives. */
void mprt_live_in_child(void);

/* Restarts the measurement with the blocks that live now, for contexts up to
 * the last. */
void mprt_live_restart(uint32_t last_context);

/* Bytes of the table. */
uint64_t mprt_live_memory_bytes(void);

/* The last peak. number 0: none yet. */
struct mprt_live_peak {
    uint64_t bytes;
    uint64_t ns;
    uint32_t number;
};
/* Records a peak if more bytes live than ever before. */
void mprt_live_note_now(void);
struct mprt_live_peak mprt_live_last_peak(void);
/* Most bytes and blocks of a context that were alive at once. */
struct mprt_live_most {
    uint64_t bytes;
    uint64_t blocks;
};
struct mprt_live_most mprt_live_most(uint32_t context);
/* Live bytes as the threads have published them. */
uint64_t mprt_live_bytes(void);
/* Samples live bytes for the series. */
void mprt_live_sample(struct mprt_thread *t);
/* Records a phase or mark of the program, with the live bytes. */
void mprt_live_mark(uint32_t kind, const char *name);

/* -- fast path ------------------------------------------------------------- */

/* With several threads, bytes and blocks include the threads' reserves
 * (live.c). */
struct mprt_live_context {
    _Atomic uint64_t bytes;
    _Atomic uint64_t blocks;
    _Atomic uint64_t max_bytes;  /* updated when a block ends */
    _Atomic uint64_t max_blocks; /* and MPRT_LIVE_HAS_RESERVES */
};
#define MPRT_LIVE_HAS_RESERVES (UINT64_C(1) << 63)
_Static_assert(sizeof(struct mprt_live_context) == 32, "two in a cache line");
extern MPRT_HIDDEN struct mprt_live_context *mprt_live_contexts;
/* The table is indexed by depot id, permuted: contexts with neighbouring ids
 * are often used by several threads at the same time. Of 256 neighbouring
 * contexts each of the first 128 shares its cache line with one of the others:
 * the lowest byte of the index is rotated, which is one instruction. */
#define MPRT_LIVE_HALF 128u
static inline struct mprt_live_context *mprt_live_at(uint32_t context)
{
    __asm__("rolb %b0" : "+q"(context) : : "cc");
    return &mprt_live_contexts[context];
}

/* Of the last peak. The time is stored first and read last. */
struct mprt_live_last {
    _Atomic uint64_t ns;
    _Atomic uint32_t number;
};
extern MPRT_HIDDEN struct mprt_live_last mprt_live_last;

void mprt_live_publish(struct mprt_thread *t);
void mprt_live_check_peak(struct mprt_thread *t, uint64_t now_ns);
void mprt_live_add_orphan(int64_t bytes, uint64_t now_ns);

/* A time of birth after the last peak. */
static inline uint64_t mprt_live_birth_ns(uint64_t now_ns)
{
    const uint64_t peak_ns = MPRT_LOAD(mprt_live_last.ns);

    return MPROF_LIKELY(now_ns > peak_ns) ? now_ns : peak_ns + 1;
}

/* Number of the last peak if a block with this birth was alive at it; otherwise
 * 0. For a block that ends, call it after mprt_live_end(). */
static inline uint32_t mprt_live_peak_of(uint64_t birth_ns)
{
    const uint32_t number = MPRT_LOAD_ACQUIRE(mprt_live_last.number);

    return birth_ns <= MPRT_LOAD(mprt_live_last.ns) ? number : 0;
}

/* Raises both maxima of a context; the bit MPRT_LIVE_HAS_RESERVES stays. */
void mprt_live_raise_both(struct mprt_live_context *c, uint64_t bytes,
                          uint64_t blocks);

/* Adds to a word that only this thread and its signal handlers write. */
static inline void mprt_live_add_own(volatile void *sum, int64_t n)
{
    __asm__("addq %1, %0" : "+m"(*(volatile int64_t *)sum) : "er"(n) : "cc");
}

void mprt_live_add_among_threads(struct mprt_thread *t, uint32_t context,
                                 uint64_t bytes, uint64_t blocks);
void mprt_live_take_among_threads(struct mprt_thread *t, uint32_t context,
                                  uint64_t bytes, uint64_t blocks);

/* Counts the birth of a block that stands for `weight` blocks of its context.
 * is_alone: mprt_lock_is_alone(), here and below. */
static inline MPRT_ALWAYS_INLINE void
mprt_live_add_block(struct mprt_thread *t, uint32_t context, uint64_t size,
                    uint32_t weight, bool is_alone)
{
    struct mprt_live_context *const c = mprt_live_at(context);
    const uint64_t bytes = size * weight;

    if (MPROF_UNLIKELY(!is_alone)) {
        mprt_live_add_among_threads(t, context, bytes, weight);
        return;
    }
    mprt_live_add_own(&c->bytes, (int64_t)bytes);
    mprt_live_add_own(&c->blocks, weight);
}

/* Counts its end. The maximum is updated before, because live values are
 * highest before an end. */
static inline MPRT_ALWAYS_INLINE void
mprt_live_take_block(struct mprt_thread *t, uint32_t context, uint64_t size,
                     uint32_t weight, bool is_alone)
{
    struct mprt_live_context *const c = mprt_live_at(context);
    const uint64_t taken = size * weight;

    if (MPROF_UNLIKELY(!is_alone)) {
        mprt_live_take_among_threads(t, context, taken, weight);
        return;
    }
    const uint64_t bytes = MPRT_LOAD(c->bytes);
    const uint64_t blocks = MPRT_LOAD(c->blocks);
    mprt_live_add_own(&c->bytes, -(int64_t)taken);
    mprt_live_add_own(&c->blocks, -(int64_t)weight);
    /* With the bit, a maximum is negative. */
    if (MPROF_UNLIKELY(bytes > MPRT_LOAD(c->max_bytes) ||
                       (int64_t)blocks > (int64_t)MPRT_LOAD(c->max_blocks)))
        mprt_live_raise_both(c, bytes, blocks);
}

static inline int64_t mprt_live_of(const struct mprt_thread *t)
{
    return MPRT_LOAD(t->live.bytes);
}

/* Counts the birth of a block that stands for `weight` blocks. t may be NULL.
 */
static inline MPRT_ALWAYS_INLINE void
mprt_live_begin(struct mprt_thread *t, uint32_t context, uint64_t size,
                uint32_t weight, bool is_alone)
{
    const int64_t bytes = (int64_t)(size * weight);

    mprt_live_add_block(t, context, size, weight, is_alone);
    if (MPROF_UNLIKELY(t == NULL)) {
        mprt_live_add_orphan(bytes, 0);
        return;
    }
    mprt_live_add_own(&t->live.bytes, bytes);
    if (MPROF_UNLIKELY(mprt_live_of(t) > t->live.high))
        mprt_live_publish(t);
}

/* Counts the end of a block, before it is recorded. t may be NULL. */
static inline MPRT_ALWAYS_INLINE void
mprt_live_end(struct mprt_thread *t, uint32_t context, uint64_t size,
              uint32_t weight, uint64_t now_ns, bool is_alone)
{
    const int64_t bytes = (int64_t)(size * weight);

    mprt_live_take_block(t, context, size, weight, is_alone);
    if (MPROF_UNLIKELY(t == NULL)) {
        mprt_live_add_orphan(-bytes, now_ns);
        return;
    }
    if (MPROF_UNLIKELY(mprt_live_of(t) > MPRT_LOAD(t->live.peak_high)))
        mprt_live_check_peak(t, now_ns);
    mprt_live_add_own(&t->live.bytes, -bytes);
    if (MPROF_UNLIKELY(mprt_live_of(t) < t->live.low))
        mprt_live_publish(t);
}

/* Counts the end of a block that is not recorded, because a signal handler
 * frees it inside the runtime. */
void mprt_live_drop(struct mprt_thread *t, uint32_t context, uint64_t size,
                    uint32_t weight);
