/* spread.h -- how the accesses of a context spread over bursts (accesses=1/N),
 * for blocks that lived through several bursts.
 *
 * The variance of a context's accesses needs the sum of x^2 over bursts in
 * which x accesses to its blocks were counted (bursts.h). Accesses to a block
 * that lived through one burst belong to this burst; mibmap.c adds them. The
 * counters of other blocks do not tell the burst. So the counters of all live
 * blocks are read at the end of some bursts. Between two such sweeps lie b
 * bursts, which counted d accesses of a context. Their sum of x^2 is
 *
 *     d^2 / b + (b - 1) * s^2
 *
 * where s^2 is the variance between the bursts. Its estimate is the squared
 * difference from the mean of the interval before, over 1 / b + 1 / b', where
 * b' is the bursts of that interval, or b if that is less than half of b. If
 * accesses become more or fewer in the meantime, this is too large. For b = 1
 * the sum is exact.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

void mprt_spread_init(void);
/* Makes room, if accesses=1/N begins later. Returns false without memory. */
bool mprt_spread_prepare(void);
void mprt_spread_in_child(void);

/* Adds the counted accesses of blocks of the context that ended after several
 * bursts. The caller holds the lock of the context's row. */
void mprt_spread_add(uint32_t context, uint64_t counted);
/* Ends the interval of all contexts. Inside the guard. */
void mprt_spread_sweep(void);
/* Sum of x^2 over all bursts until the last sweep, and of x. */
struct mprt_spread_sums {
    uint64_t squares;
    uint64_t counted;
};
struct mprt_spread_sums mprt_spread_sums(uint32_t context);
/* The records begin anew with the accesses to the blocks that live now. */
void mprt_spread_restart(void);
