/* block_internal.h -- what the files block_*.c share.
 *
 * A block lies in a slot of the heap, at the start of its memory or at the
 * first multiple of its alignment. The slot's header describes the block. A
 * slot consists of whole granules, and no header lies in another slot, so
 * blocks share no counters.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/block.h"
#include "rt/record/block_state.h"
#include "rt/base/os.h"
#include "rt/base/state.h"
#include "rt/heap/shadow.h"
#include "rt/heap/transfers.h"
#include "rt/record/hooks.h"
#include "rt/record/live.h"
#include "rt/record/mibmap.h"
#include "rt/record/named.h"
#include "rt/record/series.h"
#include "rt/stack/depot.h"

/* From this size on, blocks that the system would refuse are refused. */
#define ASKED_BYTES_MIN ((size_t)1 << 30)

extern MPRT_HIDDEN _Atomic uint64_t mprt_block_foreign_frees;
extern MPRT_HIDDEN _Atomic uint64_t mprt_block_dropped;

/* Fills in the header and makes the block at p live. align: as a field of the
 * state. now_ns: the time, or 0 if it is to be read. */
void mprt_block_begin(struct mprt_thread *t, struct header *h, void *p,
                      size_t size, uint64_t align, uint64_t now_ns,
                      struct mprt_caller caller);
/* Claims the live block at p for the caller and returns its header, or NULL. */
struct header *mprt_block_claim(void *p, uint64_t *state);
/* Records the end of a claimed block. end: how it ends. Returns the time of the
 * end, or 0 if it is not recorded. */
uint64_t mprt_block_end(struct mprt_thread *t, struct header *h, uintptr_t p,
                        const struct mprt_block_end *end);
/* Claims the block at p, records its end and frees it. end: how it ends, or
 * NULL. A replaced block (realloc) is no longer counted as live by then. False
 * if p is no live block, which is reported. */
bool mprt_block_free_with(struct mprt_thread *t, void *p,
                          const struct mprt_block_end *end);
/* Reports once that p is no live block. what: the function that was called.
 * Returns NULL. */
void *mprt_block_report_bad(void *p, const char *what);
/* Context of a call, or 0 if none is recorded. */
uint32_t mprt_block_call_context(struct mprt_thread *t,
                                 struct mprt_caller caller);

/* Counts the birth or the end of the block with this state, which stands for
 * `weight` blocks, or 0 if it is not recorded. A block that is not recorded
 * counts for itself, except with sampling. */
static inline void count_blocks(struct mprt_thread *t, uint64_t state,
                                uint32_t weight, bool is_birth)
{
    struct mprt_thread_counts *const c =
        t != NULL ? &t->counts : &mprt_thread_orphan_counts;

    if (MPROF_UNLIKELY(weight == 0)) {
        if (mprt_sample_rates[rate_in(state)] != 0)
            return;
        weight = 1;
        mprt_series_count_unrecorded(is_birth ? 1 : -1);
    }
    mprt_thread_add_count(is_birth ? &c->allocated_blocks : &c->freed_blocks,
                          weight, t == NULL);
    mprt_thread_add_count(is_birth ? &c->allocated_bytes : &c->freed_bytes,
                          size_in(state) * weight, t == NULL);
}

static inline uint32_t cpu_thread_of(const struct mprt_thread *t)
{
    return MPROF_LIKELY(t != NULL)
               ? (mprt_os_cpu_at(t->cpu) & CPU_THREAD_CPU_MASK) | t->cpu_thread
               : mprt_os_cpu() & CPU_THREAD_CPU_MASK;
}

/* Has another thread than the one that allocated it the small block for itself?
 */
static inline void set_handed(const struct header *h, struct mprof_block_rw *rw)
{
    rw->is_handed = rw->owner != MPRT_TRANSFERS_NOBODY &&
                    rw->owner != MPRT_TRANSFERS_SHARED &&
                    rw->owner != mprt_transfers_owner(h->cpu_thread);
}

/* With accesses=1/N: makes the counted accesses of a block an estimate of all.
 */
static inline void scale_accesses(struct mprof_block_life *life,
                                  struct mprof_block_rw *rw)
{
    const uint32_t period = mprt_bursts_period;

    if (!mprt_bursts_are_on())
        return;
    life->access_count = mprof_mul_sat_u64(life->access_count, period);
    life->has_no_burst =
        life->access_count == 0 && !mprt_bursts_were_since(life->alloc_ns);
    rw->reads = mprof_mul_sat_u64(rw->reads, period);
    rw->writes = mprof_mul_sat_u64(rw->writes, period);
    rw->read_bytes = mprof_mul_sat_u64(rw->read_bytes, period);
    rw->write_bytes = mprof_mul_sat_u64(rw->write_bytes, period);
}

/* Context of the live block at p, or 0. */
static inline uint32_t context_at(void *p)
{
    uint64_t state;
    const struct header *const h = live_header(p, &state);

    return h != NULL ? h->context : 0;
}

/* If the program has named the block at p, removes the name and returns p.
 * Otherwise returns 0. */
static inline uintptr_t take_name(const void *p)
{
    return MPROF_UNLIKELY(mprt_hooks_are_set()) && mprt_named_take((uintptr_t)p)
               ? (uintptr_t)p
               : 0;
}

/* Samples live bytes for the series, as often as calls are timed. */
static inline void sample_live(struct mprt_thread *t)
{
    if (!mprt_thread_enter())
        return;
    mprt_live_sample(t);
    mprt_thread_leave();
}
