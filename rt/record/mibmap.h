/* mibmap.h -- the MIBs of all contexts. Call inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/context.h"

/* Reserves the tables; ends the program without address space. Called once. */
void mprt_mibmap_init(void);
/* In a forked child, after mprt_depot_in_child(): leaves what the parent
 * recorded behind. */
void mprt_mibmap_in_child(void);
/* Bytes of rows and MIBs. */
uint64_t mprt_mibmap_memory_bytes(void);

/* How a block ended, if that is recorded. other: the context of the call that
 * ended it, or 0 if unknown. */
struct mprt_block_end {
    uint32_t kind; /* enum mprof_detail_kind; 0: not recorded */
    uint32_t other;
    uint64_t size; /* size of the replacing block (realloc) */
    /* address of the block's counters if the program named the block; otherwise
     * 0 */
    uintptr_t named_at;
};

/* Adds the life of a block to its context. p: the block, whose histogram cells
 * are added, or 0. rw: its reads and writes, or NULL. end: how it ended, or
 * NULL. weight: number of blocks it stands for; 0: no sampling. Takes only the
 * lock of the context. */
void mprt_mibmap_add(uint32_t context, const struct mprof_block_life *life,
                     uintptr_t p, const struct mprof_block_rw *rw,
                     const struct mprt_block_end *end, uint32_t weight);

/* Adds `weight` blocks, of `bytes` each, that are related to blocks of another
 * context. */
void mprt_mibmap_add_link(uint32_t context, uint32_t kind, uint32_t other,
                          uint64_t bytes, uint32_t weight);

/* -- all contexts, for a snapshot ------------------------------------------ */

/* A map for one user, taken or copied. One exists at a time. */
struct mprt_mibmap_taken {
    struct mprt_context *rows; /* by depot id */
    /* rows of live blocks: the same rows, or separate ones */
    struct mprt_context *live;
    uint32_t first; /* first and last context */
    uint32_t last;
    unsigned map;
};

/* Makes the other, empty map current and takes the old one. */
void mprt_mibmap_take(struct mprt_mibmap_taken *taken);
/* Copies the current map into the other one. */
void mprt_mibmap_copy(struct mprt_mibmap_taken *taken);
/* Chooses whether live blocks are added to the rows of the ended blocks or to
 * rows of their own. */
void mprt_mibmap_part(struct mprt_mibmap_taken *taken, bool separate);
/* Adds the life of a live block at p, with its cells in histogram mode or its
 * reads and writes in RW mode (p 0 and rw NULL: without). weight: as in
 * mprt_mibmap_add(). Ignores contexts that are newer than the map and contexts
 * of a parent process. */
void mprt_mibmap_add_live(const struct mprt_mibmap_taken *taken,
                          uint32_t context, uintptr_t p,
                          const struct mprof_block_life *life,
                          const struct mprof_block_rw *rw, uint32_t weight);
/* Adds live blocks and their bytes to a row of DETAILS. key: a bucket or a
 * context. */
void mprt_mibmap_add_live_detail(const struct mprt_mibmap_taken *taken,
                                 uint32_t context, uint32_t kind, uint32_t key,
                                 uint64_t blocks, uint64_t bytes);
/* Completes a context's MIB after everything was added: removes peak values of
 * another peak than this one, and sets the maximum of live bytes and blocks. */
void mprt_mibmap_finalize(const struct mprt_mibmap_taken *taken,
                          uint32_t context, uint32_t peak, uint64_t max_bytes,
                          uint64_t max_blocks);
/* Likewise, with accesses=1/N: adds the variance of accesses to blocks of
 * several bursts, in none of which more than `most` accesses were counted, and
 * that of one burst like those that were seen. Returns the accesses of such a
 * burst, averaged over the context's accesses. */
uint64_t mprt_mibmap_join_bursts(const struct mprt_mibmap_taken *taken,
                                 uint32_t context, uint64_t most);
/* Adds the variance of a burst that counted `missed` accesses. */
void mprt_mibmap_miss_burst(const struct mprt_mibmap_taken *taken,
                            uint32_t context, uint64_t missed);
/* After mprt_mibmap_finalize(), with separate rows: makes the live blocks the
 * blocks of the peak. */
void mprt_mibmap_move_peak(const struct mprt_mibmap_taken *taken,
                           uint32_t context);
/* After mprt_mibmap_add_live(), for a block at p that the program named: adds
 * the places of its accesses. */
void mprt_mibmap_add_live_places(const struct mprt_mibmap_taken *taken,
                                 uint32_t context, uintptr_t p, uint64_t size,
                                 uint32_t weight);
/* Leaked blocks of a context. Indirect ones are referenced by another leaked
 * block. */
struct mprt_mibmap_leaks {
    uint64_t blocks;
    uint64_t bytes;
    uint64_t indirect_blocks;
    uint64_t indirect_bytes;
};
/* Sets a context's leaks after mprt_mibmap_finalize(). Also marks its blocks as
 * checked for leaks. */
void mprt_mibmap_add_leaks(const struct mprt_mibmap_taken *taken,
                           uint32_t context,
                           const struct mprt_mibmap_leaks *leaks);
/* Leaked blocks of `context` that are reachable from leaked blocks of `holder`.
 */
struct mprt_mibmap_held {
    uint32_t holder;
    uint32_t context;
    uint64_t blocks;
    uint64_t bytes;
};
/* Empties the map, so that it can become current again. */
void mprt_mibmap_drop(const struct mprt_mibmap_taken *taken);

/* -- fast path ------------------------------------------------------------- */

/* Maps 0 and 1 take turns: the current one is mprt_mibmap_generation % 2. The
 * last map holds live blocks of a snapshot. Rows are indexed by depot id. */
#define MPRT_MIBMAPS 3
extern MPRT_HIDDEN struct mprt_context *mprt_mibmap_rows[MPRT_MIBMAPS];
extern MPRT_HIDDEN union mprt_log2_counts_node *mprt_mibmap_nodes[MPRT_MIBMAPS];
extern MPRT_HIDDEN _Atomic uint64_t mprt_mibmap_generation;

/* Locks the context's row in the current map and returns it; *map: the map's
 * number. Not for contexts of a parent process, whose locks may be in any
 * state. */
static inline struct mprt_context *mprt_mibmap_lock(uint32_t context,
                                                    unsigned *map)
{
    for (;;) {
        /* Pairs with the store in mprt_mibmap_take(), which then waits for the
         * lock. */
        const uint64_t now = MPRT_LOAD_ACQUIRE(mprt_mibmap_generation);
        struct mprt_context *const c = &mprt_mibmap_rows[now % 2][context];
        *map = now % 2;
        mprt_lock_acquire_brief(&c->lock);
        if (MPROF_LIKELY(atomic_load(&mprt_mibmap_generation) == now))
            return c;
        mprt_lock_release_brief(&c->lock);
    }
}

/* For a life that is added late: a block of an earlier peak than the entry's
 * was not alive at the entry's peak. */
static inline void mprt_mibmap_forget_peak(const struct mprt_context *c,
                                           struct mprof_block_life *life)
{
    if (MPROF_UNLIKELY(life->peak != 0) && c->entry != NULL &&
        (int32_t)(life->peak - c->entry->peak) < 0)
        life->peak = 0;
}
/* Resets the peak values if they are of an earlier peak. */
static inline void mprt_mibmap_begin_peak(struct mprt_mib_entry *entry,
                                          uint32_t peak)
{
    if (MPROF_UNLIKELY(peak != 0 && peak != entry->peak)) {
        entry->mib.PeakCount = entry->mib.PeakBytes =
            entry->mib.PeakBytesVariance = 0;
        entry->peak = peak;
    }
}
static inline struct mprt_log2_counts_buckets
mprt_mibmap_buckets(const struct mprof_block_life *life)
{
    return mprt_log2_counts_of(
        life->size, mprof_sub_sat_u64(life->dealloc_ns, life->alloc_ns));
}
/* mprt_mibmap_add_life() for any context, and the part of it for blocks whose
 * bucket has no counter yet. */
void mprt_mibmap_add_any(struct mprt_context *c, unsigned map,
                         const struct mprof_block_life *life);
void mprt_mibmap_count_separate(struct mprt_context *c, unsigned map,
                                uint32_t kind, uint8_t bucket);
static inline MPRT_ALWAYS_INLINE void
mprt_mibmap_count(struct mprt_context *c, unsigned map,
                  struct mprt_log2_counts_buckets own)
{
    union mprt_log2_counts_node *const nodes = mprt_mibmap_nodes[map];
    const struct mprt_log2_counts own_counts = c->entry->log2_counts;

    if (MPROF_UNLIKELY(!mprt_log2_counts_add_size(nodes, own_counts,
                                                  c->common_buckets, own)))
        mprt_mibmap_count_separate(c, map, MPROF_DETAIL_SIZE, own.size);
    if (MPROF_UNLIKELY(!mprt_log2_counts_add_lifetime(nodes, own_counts,
                                                      c->common_buckets, own)))
        mprt_mibmap_count_separate(c, map, MPROF_DETAIL_LIFETIME, own.lifetime);
}
/* Adds a life to a context that has blocks. The caller holds the row's lock or
 * is its only user. */
static inline MPRT_ALWAYS_INLINE void
mprt_mibmap_add_life(struct mprt_context *c, unsigned map,
                     const struct mprof_block_life *life)
{
    mprt_mibmap_begin_peak(c->entry, life->peak);
    mprof_mib_add_life(&c->entry->mib, life);
    mprt_mibmap_count(c, map, mprt_mibmap_buckets(life));
}

/* Pool with the counts of a snapshot's rows: those of ended or of live blocks.
 */
const struct mprt_log2_counts_pool *
mprt_mibmap_counts(const struct mprt_mibmap_taken *taken, bool live);
