/* mibmap.h -- MIBs by context. Inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_MIBMAP_H
#define MPRT_MIBMAP_H

#include "rt/record/context.h"

/* Reserves the tables; ends the program without address space. Called once. */
void mprt_mibmap_init(void);
/* In a forked child, after mprt_depot_after_fork(): what was recorded is the
 * parent's. */
void mprt_mibmap_after_fork(bool is_child, bool is_outermost);
/* Bytes that rows and MIBs take. */
uint64_t mprt_mibmap_memory_bytes(void);

/* How a block ended, where that is recorded: by whose call stack (context, or 0
 * where it is not known). */
struct mprt_block_end {
    uint32_t kind; /* enum mprof_detail_kind; 0: nothing is known */
    uint32_t other;
    uint64_t size;      /* of the block that replaces it */
    uintptr_t named_at; /* where its counters are, if the program wants places;
                           else 0 */
};

/* Adds the life of a block at p, with its cells (histogram mode; p 0: without)
 * or its reads and writes (else NULL), and how it ended (or NULL), to its
 * context. weight: blocks that it stands for; 0: nothing is sampled. Takes that
 * context's own lock only. */
void mprt_mibmap_add(uint32_t context, const struct mprof_block_life *life,
                     uintptr_t p, const struct mprof_block_rw *rw,
                     const struct mprt_block_end *end, uint32_t weight);

/* -- all of them, for a snapshot ------------------------------------------- */

/* A map that nobody else uses: one that was taken, or a copy. One at a time. */
struct mprt_mibmap_taken {
    struct mprt_context *rows; /* by depot id */
    struct mprt_context *live; /* where live blocks go: the same, or apart */
    uint32_t first;            /* context */
    uint32_t last;
    unsigned map;
};

/* Makes the other, empty map current and takes the old one. */
void mprt_mibmap_take(struct mprt_mibmap_taken *taken);
/* Copies the current map into the other one. */
void mprt_mibmap_copy(struct mprt_mibmap_taken *taken);
/* Live blocks go to the rows of the ended ones, or to rows of their own. */
void mprt_mibmap_part(struct mprt_mibmap_taken *taken, bool separate);
/* Adds the life of a live block at p, with its cells or its reads and writes
 * (histogram and RW mode; p 0 and rw NULL: without). weight: as for
 * mprt_mibmap_add(). Contexts that came up since the map was taken, and a
 * parent's, are left out. */
void mprt_mibmap_add_live(const struct mprt_mibmap_taken *taken,
                          uint32_t context, uintptr_t p,
                          const struct mprof_block_life *life,
                          const struct mprof_block_rw *rw, uint32_t weight);
/* Of a context, when everything was added: what was alive at another peak than
 * this one goes, and the most that lived at a time is as given. */
void mprt_mibmap_finalize(const struct mprt_mibmap_taken *taken,
                          uint32_t context, uint32_t peak, uint64_t max_bytes,
                          uint64_t max_blocks);
/* After mprt_mibmap_finalize(), where live blocks are apart: they are what was
 * alive at the peak. */
void mprt_mibmap_move_peak(const struct mprt_mibmap_taken *taken,
                           uint32_t context);
/* After mprt_mibmap_add_live(), of a block at p that the program named: places.
 */
void mprt_mibmap_add_live_places(const struct mprt_mibmap_taken *taken,
                                 uint32_t context, uintptr_t p, uint64_t size,
                                 uint32_t weight);
/* Leaked blocks of a context; of those, the ones that another leaked block
 * points to. */
struct mprt_mibmap_leaks {
    uint64_t blocks;
    uint64_t bytes;
    uint64_t indirect_blocks;
    uint64_t indirect_bytes;
};
/* Leaks were looked for, and these are the context's. After
 * mprt_mibmap_finalize(). */
void mprt_mibmap_add_leaks(const struct mprt_mibmap_taken *taken,
                           uint32_t context,
                           const struct mprt_mibmap_leaks *leaks);
/* Which of a context's leaked blocks can be reached from those of another. */
struct mprt_mibmap_held {
    uint32_t holder;
    uint32_t context;
    uint64_t blocks;
    uint64_t bytes;
};
/* After mprt_mibmap_add_leaks(). */
void mprt_mibmap_add_held(const struct mprt_mibmap_taken *taken,
                          const struct mprt_mibmap_held *held);
/* Empties the map, so that it can be current again. */
void mprt_mibmap_drop(const struct mprt_mibmap_taken *taken);

/* -- the common case ------------------------------------------------------- */

/* The current map is that of mprt_mibmap_generation % 2; the last one has live
 * blocks. Rows by depot id. */
#define MPRT_MIBMAPS 3
extern MPRT_HIDDEN struct mprt_context *mprt_mibmap_rows[MPRT_MIBMAPS];
extern MPRT_HIDDEN union mprt_log2_counts_node *mprt_mibmap_nodes[MPRT_MIBMAPS];
extern MPRT_HIDDEN _Atomic uint64_t mprt_mibmap_generation;

/* The context's row, locked; *map: of which map. Not of a parent's context: its
 * lock may be in any state. */
static inline struct mprt_context *mprt_mibmap_lock(uint32_t context,
                                                    unsigned *map)
{
    for (;;) {
        /* Pairs with the store in take_all(), which then waits for the lock. */
        const uint64_t now =
            atomic_load_explicit(&mprt_mibmap_generation, memory_order_acquire);
        struct mprt_context *const c = &mprt_mibmap_rows[now % 2][context];
        *map = now % 2;
        mprt_lock_acquire_brief(&c->lock);
        if (MPROF_LIKELY(atomic_load(&mprt_mibmap_generation) == now))
            return c;
        mprt_lock_release_brief(&c->lock);
    }
}

/* What ended since a peak that is over does not count any more. */
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
/* The context's first block, and blocks in a bucket that has no counter yet. */
void mprt_mibmap_add_first(struct mprt_context *c, unsigned map,
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
/* Adds a life to a context whose row is locked, or nobody else's. */
static inline MPRT_ALWAYS_INLINE void
mprt_mibmap_add_life(struct mprt_context *c, unsigned map,
                     const struct mprof_block_life *life)
{
    if (MPROF_UNLIKELY(!mprt_context_has_blocks(c))) {
        const struct mprof_block_life first = *life; /* leaves the others' in
                                                        registers */
        mprt_mibmap_add_first(c, map, &first);
        return;
    }
    mprt_mibmap_begin_peak(c->entry, life->peak);
    mprof_mib_add_life(&c->entry->mib, life);
    mprt_mibmap_count(c, map, mprt_mibmap_buckets(life));
}

/* The pool of the counts of a snapshot's rows: of the ended blocks', or the
 * live ones'. */
const struct mprt_log2_counts_pool *
mprt_mibmap_counts(const struct mprt_mibmap_taken *taken, bool live);

#endif
