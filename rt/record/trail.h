/* trail.h -- with log=: the events of blocks on their way to the log
 * (rt/events/). Each thread keeps its own until its buffer is full, without a
 * lock. Call inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_TRAIL_H
#define MPRT_TRAIL_H

#include "rt/base/lock.h"
#include "rt/record/live.h"
#include "rt/record/mibmap.h"
#include "shared/log_format.h"

/* An event as it is kept. A detail follows with ELSEWHERE, with ENDED and with
 * RW. */
union mprt_trail_event {
    struct {
        uint64_t ns;
        uint64_t at;      /* address of the block; of MOST: bytes */
        uint64_t number;  /* size, accesses, blocks */
        uint32_t context; /* of FREE and LIVE: number of the peak, or 0 */
        uint16_t cpu;
        uint16_t code; /* enum mprof_log_event and mprof_log_flag */
    };
    uint64_t detail[4];
};
_Static_assert(sizeof(union mprt_trail_event) == 32, "two in a cache line");

#define MPRT_TRAIL_ROOM 1022
struct mprt_trail {
    struct mprt_lock lock; /* of `written`, and while the owner empties it */
    _Atomic uint32_t used;
    uint32_t written; /* events that are in the log */
    uint32_t thread;  /* number of the thread */
    struct mprt_trail *next;
    uint64_t unused[5];
    union mprt_trail_event events[MPRT_TRAIL_ROOM];
};
_Static_assert(sizeof(struct mprt_trail) == 32768, "whole pages");

/* Are events kept? Is the next snapshot to be in the log? */
extern MPRT_HIDDEN bool mprt_trail_is_on;
extern MPRT_HIDDEN bool mprt_trail_takes_snapshot;
/* Begins to keep events. Called when a buffer is full, and with NULL when
 * events are older than a second: write() writes them to the log. */
void mprt_trail_start(void (*write)(struct mprt_trail *full));
/* All buffers ever made. They are never freed. */
struct mprt_trail *mprt_trail_first(void);
/* Time from which on a thread calls write(NULL); set by write(). */
extern MPRT_HIDDEN _Atomic uint64_t mprt_trail_due_ns;

void mprt_trail_birth(struct mprt_thread *t, uintptr_t p,
                      const struct mprof_block_life *life, uint32_t context);
/* The block has ended, or with is_live in *life, lives. rw and end may be NULL.
 */
void mprt_trail_life(struct mprt_thread *t, uintptr_t p,
                     const struct mprof_block_life *life,
                     const struct mprof_block_rw *rw,
                     const struct mprt_block_end *end);
void mprt_trail_most(uint32_t context, uint64_t bytes, uint64_t blocks);
void mprt_trail_peak(struct mprt_live_peak peak);
/* The peak of the last snapshot. */
extern MPRT_HIDDEN struct mprt_live_peak mprt_trail_last_peak;
/* Writes what the thread kept. */
void mprt_trail_end_thread(struct mprt_thread *t);
/* In a forked child: forgets the events, which the parent writes. */
void mprt_trail_after_fork(bool is_child, bool is_outermost);

#endif
