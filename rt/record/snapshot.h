/* snapshot.h -- all contexts with their MIBs at one moment, for a dump. Inside
 * the guard; safe while other threads allocate.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_SNAPSHOT_H
#define MPRT_SNAPSHOT_H

#include "rt/record/live.h"
#include "rt/record/mibmap.h"

struct mprt_snapshot {
    struct mprt_context *rows; /* by depot id */
    struct mprt_context *live; /* the same of live blocks; NULL: in rows */
    uint32_t *ids;             /* of those with blocks, ascending */
    uint32_t count;            /* of ids */
    uint32_t ids_room;
    struct mprt_mibmap_taken taken;
    struct mprt_live_peak peak; /* the last one up to now */
};

/* Takes all contexts, leaving the map empty (take) or as it is, and adds the
 * live blocks, to the ended ones or apart. One at a time: a second call waits
 * for mprt_snapshot_free() of the first; `apart` for one of them at most (under
 * the dump lock). NULL without memory. */
struct mprt_snapshot *mprt_snapshot_make(bool take, bool separate);
/* NULL is allowed. */
void mprt_snapshot_free(struct mprt_snapshot *snapshot);
/* Forgets everything recorded: MIBs, and the past of live blocks (their
 * counters and births start anew now). */
void mprt_snapshot_reset(void);
/* In a forked child no snapshot is under way. One is not waited for before: it
 * may be on its way into a pipe that nobody reads. */
void mprt_snapshot_after_fork(bool is_child, bool is_outermost);

static inline const struct mprt_context *
mprt_snapshot_at(const struct mprt_snapshot *snapshot, uint64_t i)
{
    return &snapshot->rows[snapshot->ids[i]];
}

#endif
