/* mibmap.h -- what entry.c and tests need of mibmap.c beyond rt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_MIBMAP_H
#define MPRT_MIBMAP_H

#include "rt/base/rt.h"

/* Reserves the table; false without address space. Called once. */
bool mprt_mibmap_init(void);

/* In a forked child, after mprt_depot_restart(): no snapshot is under way, and
 * what was recorded is the parent's. */
void mprt_mibmap_after_fork(void);

/* -- the common case ------------------------------------------------------- */

/* The current map is that of mprt_mibmap_generation % 2. Rows by depot id. */
extern struct mprt_context *mprt_mibmap_rows[2];
extern _Atomic uint64_t mprt_mibmap_generation;
extern uint32_t mprt_depot_first_id;

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

/* mprt_mibmap_add() where mprt_mibmap_lock() has locked the row; unlocks it. */
void mprt_mibmap_add_locked(struct mprt_context *c, unsigned map,
                            const struct mprof_block_life *life,
                            const uint64_t *cells, uint32_t cell_count);

#endif
