/* snapshot.h -- the MIBs of all contexts at one moment, for a dump. Call inside
 * the guard. Other threads may allocate meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/live.h"
#include "rt/record/mibmap.h"

struct mprt_snapshot {
    struct mprt_context *rows; /* by depot id */
    /* rows of live blocks; NULL: they are included in rows */
    struct mprt_context *live;
    uint32_t *ids;  /* contexts with blocks, ascending */
    uint32_t count; /* number of ids */
    uint32_t ids_room;
    struct mprt_mibmap_taken taken;
    struct mprt_live_peak peak; /* the last peak */
    uint32_t mapped_peak;       /* number of the last peak of mapped memory */
    uint64_t bursts;            /* since the records began */
};

/* Takes all contexts and adds the live blocks. take: leaves the map empty;
 * otherwise copies it. separate: live blocks get rows of their own; only under
 * the dump lock. A second call waits for mprt_snapshot_free() of the first
 * snapshot. Returns NULL without memory. */
struct mprt_snapshot *mprt_snapshot_make(bool take, bool separate);
/* NULL is allowed. */
void mprt_snapshot_free(struct mprt_snapshot *snapshot);
/* Forgets all records: MIBs, and the accesses and births of live blocks. */
void mprt_snapshot_reset(void);
/* Reads the option accesses= again, then resets. In the helper; takes 20 ms. */
void mprt_snapshot_reset_accesses(void);
/* A forked child has no snapshot. A fork does not wait for one, because it may
 * be on its way into a pipe that nobody reads. */
void mprt_snapshot_in_child(void);

static inline const struct mprt_context *
mprt_snapshot_at(const struct mprt_snapshot *snapshot, uint64_t i)
{
    return &snapshot->rows[snapshot->ids[i]];
}
