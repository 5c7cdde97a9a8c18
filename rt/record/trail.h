/* trail.h -- with log=: the events of blocks on their way to the log
 * (rt/events/). Each thread keeps its own until its buffer is full, without a
 * lock. Call inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/live.h"
#include "rt/record/mibmap.h"
#include "shared/log_format.h"

struct mprt_snapshot;

/* What the next event of a buffer is relative to. */
struct mprt_trail_state {
    _Atomic uint64_t ns;
    _Atomic uint64_t at;
    _Atomic uint32_t cpu;
    _Atomic uint32_t peak;
};

/* Events as they are in the log. `position` is 2 * bytes, plus the number of
 * the state after them. The other state is that of the event that the thread
 * appends, so whoever sees the same position before and after reading a state
 * has the right one. */
#define MPRT_TRAIL_BYTES 32640
struct mprt_trail {
    struct mprt_trail *next;
    _Atomic uint32_t position;
    uint32_t thread; /* number of the thread */
    /* The log that the events are of; 0: nobody appends. */
    _Atomic uint32_t generation;
    struct mprt_trail_state states[2];
    /* Of the reader: bytes that are in the log, and the state after them. */
    uint32_t written;
    struct mprt_trail_state last;
    uint8_t bytes[MPRT_TRAIL_BYTES];
};
_Static_assert(sizeof(struct mprt_trail) <= 32768, "whole pages");

/* Are events kept? Is the next snapshot to be in the log? */
extern MPRT_HIDDEN bool mprt_trail_is_on;
extern MPRT_HIDDEN bool mprt_trail_takes_snapshot;
/* What the log does for threads that append. */
struct mprt_trail_log {
    /* Writes events to the log and empties the buffer; or with NULL, because
     * events are older than a second, all buffers' events. */
    void (*write)(struct mprt_trail *full);
    /* Makes the call stack of a context part of the log, before events that
     * refer to it. */
    void (*add_stack)(uint32_t context);
    /* Takes what a snapshot has of contexts beside the events of their blocks,
     * for the end of the log. is_whole: the log began with the run. */
    void (*add_snapshot)(const struct mprt_snapshot *snapshot, bool is_whole);
};
/* Begins to keep events, of blocks that begin from start_ns on; false without
 * memory. What the buffers have is of an earlier log. */
bool mprt_trail_start(const struct mprt_trail_log *log, uint64_t start_ns);
/* All buffers ever made. They are never freed. */
struct mprt_trail *mprt_trail_first(void);
/* Time from which on a thread calls write(NULL); set by write(). */
extern MPRT_HIDDEN _Atomic uint64_t mprt_trail_due_ns;

/* The bytes that are not in the log yet. from: what the first is relative to.
 * They stay until the buffer is emptied. One thread at a time reads and
 * empties. */
struct mprt_trail_part {
    struct mprt_trail_state from;
    const uint8_t *bytes;
    uint32_t size;
    bool is_first; /* the first event needs nothing but a time */
};
struct mprt_trail_part mprt_trail_read(struct mprt_trail *trail);
/* Whether a buffer has bytes that are not in the log. A hint. */
bool mprt_trail_has_news(void);
/* By the buffer's thread only. */
void mprt_trail_empty(struct mprt_trail *trail);
/* Marks a call stack as part of the log. False if it is already. */
bool mprt_trail_add_stack(uint32_t context);
/* No call stack is. */
void mprt_trail_forget_stacks(void);

void mprt_trail_birth(struct mprt_thread *t, uintptr_t p, uint64_t size,
                      uint32_t context, uint32_t weight, uint32_t cpu,
                      uint64_t ns);
/* The end of a block of which only the accesses were counted. */
struct mprt_trail_end {
    uint64_t ns;
    uint64_t birth_ns;
    uint64_t access_count;
    uint32_t cpu;
    uint32_t peak;
    uint32_t code; /* enum mprof_log_event, with enum mprof_log_flag */
};
void mprt_trail_end(struct mprt_thread *t, uintptr_t p,
                    const struct mprt_trail_end *e);
/* The block has ended, or with is_live in *life, lives. rw and end may be NULL.
 */
void mprt_trail_life(struct mprt_thread *t, uintptr_t p,
                     const struct mprof_block_life *life,
                     const struct mprof_block_rw *rw,
                     const struct mprt_block_end *end);
/* An event of the program, at a context that has its name. */
void mprt_trail_event(struct mprt_thread *t, uint32_t context, uint64_t weight);
void mprt_trail_most(uint32_t context, uint64_t bytes, uint64_t blocks);
void mprt_trail_peak(struct mprt_live_peak peak);
void mprt_trail_snapshot(const struct mprt_snapshot *snapshot);
/* The peak of the last snapshot. */
extern MPRT_HIDDEN struct mprt_live_peak mprt_trail_last_peak;
/* Writes what the thread kept. */
void mprt_trail_end_thread(struct mprt_thread *t);
/* In a forked child: forgets the events, which the parent writes. */
void mprt_trail_in_child(void);
