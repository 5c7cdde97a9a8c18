/* event_live.h -- the blocks of a log by their addresses: finds the beginning
 * that belongs to an end.
 *
 * A thread's own events are in order, so an end by the thread that began the
 * block belongs to its last beginning at the address. Other threads write their
 * events earlier or later; their ends name the time of the beginning, and wait
 * for it if it comes later. Both look-ups take the same time however many
 * blocks there are at one address; mostly there is one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "profdata/events/event_log.h"

/* A beginning, or an end that waits. What most look-ups need stands first. */
struct mpdata_live_block {
    uint64_t address;
    uint64_t ns; /* of the beginning */
    uint64_t size;
    uint32_t row;  /* the caller's, of a beginning */
    uint32_t note; /* likewise */
    uint32_t thread;
    uint16_t cpu;
    uint8_t is_in;    /* bits of the lists: event_live.c */
    uint32_t next[2]; /* index + 1 of the neighbours in them */
    uint32_t before[2];
    struct mpdata_log_event *end; /* owned, or NULL */
};

/* Of callers that note the weight of a sampled block, or 0: the blocks that it
 * stands for, and their bytes. */
static inline uint32_t
mpdata_live_block_count(const struct mpdata_live_block *b)
{
    return b->note != 0 ? b->note : 1;
}
static inline uint64_t
mpdata_live_block_bytes(const struct mpdata_live_block *b)
{
    return mprof_mul_sat_u64(b->size, mpdata_live_block_count(b));
}

struct mpdata_live_lists {
    uint32_t *first; /* by hash: index + 1 */
    uint32_t count;  /* a power of two, or 0 */
    uint32_t blocks;
};

/* Starts zeroed but for blocks.elem_bytes. */
struct mpdata_event_live {
    struct mpdata_vec blocks;          /* struct mpdata_live_block */
    struct mpdata_live_lists lists[3]; /* event_live.c */
    uint32_t free;                     /* index + 1 */
    uint32_t waiting;                  /* ends */
};

/* If an end waits at the address, moves it to *end and returns it; the caller
 * frees it. Otherwise keeps the beginning and returns NULL; *failed: there is
 * no memory. */
struct mpdata_log_event *
mpdata_event_live_begin(struct mpdata_event_live *live,
                        const struct mpdata_live_block *block, bool *failed);
/* Moves the beginning that belongs to the end to *block and returns true. If
 * there is none, keeps the end if it may come, and returns false. */
bool mpdata_event_live_end(struct mpdata_event_live *live,
                           const struct mpdata_log_event *end,
                           struct mpdata_live_block *block, bool *failed);
/* Brings what the two functions above will read into the processor's cache, for
 * an event that comes, and for one that comes soon and was given before. */
void mpdata_event_live_prepare(const struct mpdata_event_live *live,
                               const struct mpdata_log_event *later,
                               const struct mpdata_log_event *soon);
/* Call it when all beginnings and ends are known, before the functions below.
 */
void mpdata_event_live_finish(struct mpdata_event_live *live);
/* The last beginning at the address without an end, or NULL. */
struct mpdata_live_block *
mpdata_event_live_find(const struct mpdata_event_live *live, uint64_t address);
/* Calls visit for all beginnings without an end. */
void mpdata_event_live_visit(const struct mpdata_event_live *live,
                             void (*visit)(void *context,
                                           const struct mpdata_live_block *b),
                             void *context);
void mpdata_event_live_fini(struct mpdata_event_live *live);
