/* tag_format.h -- tagged rows (section TAGGED) of raw and indexed profiles:
 * statistics by call stack and name, for threads, events and so on.
 *
 * A row has a kind, a name, a call stack and a MIB. The kind says what the MIB
 * describes:
 * - THREAD: blocks; all fields have their usual meaning.
 * - POOL: blocks of a pool; only the fields of sizes, lifetimes and live blocks
 *   are set.
 * - EVENT, COPY: events. AllocCount is the number of events, TotalSize the sum
 *   of their weights, MinSize and MaxSize are the smallest and the largest
 *   weight; all other fields are 0.
 * - LEFT_OUT: filtered call stacks. AllocCount is their number, TotalSize the
 *   bytes that they allocated, MinSize and MaxSize are the smallest and largest
 *   such sum of one merge, or of one dump in a merge. If several merges filter
 *   the same call stack, AllocCount counts it several times.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* X(number, NAME, text, help). Numbers are never reused. */
#define MPROF_TAG_KINDS(X)                                                   \
    X(1, THREAD, "thread",                                                   \
      "blocks of the call stack that threads of this name allocated; "       \
      "raw profiles have column THREAD of CONTEXTS instead")                 \
    X(2, EVENT, "event",                                                     \
      "calls of memprof_event() with this name; weight: its argument")       \
    X(3, COPY, "copy",                                                       \
      "calls of the function of this name; weight: bytes copied")            \
    X(4, POOL, "pool",                                                       \
      "blocks that memprof_pool_alloc() reported for pools of this "         \
      "name, or mappings: sizes, lifetimes, live blocks; of mapped memory, " \
      "shared memory and the program break the peak")                        \
    X(5, LEFT_OUT, "left out",                                               \
      "call stacks that merge filtered by the options in the name; "         \
      "weight: bytes that they allocated; not in raw profiles")

enum mprof_tag_kind {
#define X(number, name, text, help) MPROF_TAG_##name = (number),
    MPROF_TAG_KINDS(X)
#undef X
};

/* One more than the highest number. */
enum {
    MPROF_TAG_KINDS_END = sizeof(union {
#define X(number, name, text, help) char name[(number) + 1];
        MPROF_TAG_KINDS(X)
#undef X
    })
};

/* The text of a kind, or NULL if no kind has this number. */
static inline const char *mprof_tag_kind_text(uint64_t kind)
{
    switch (kind) {
#define X(number, name, text, help) \
    case number:                    \
        return text;
        MPROF_TAG_KINDS(X)
#undef X
    default:
        return NULL;
    }
}

/* True if the kind exists and may have this node (0: no call stack). LEFT_OUT
 * rows have no call stack. */
static inline bool mprof_tag_is_valid(uint64_t kind, uint64_t node)
{
    return mprof_tag_kind_text(kind) != NULL &&
           (kind != MPROF_TAG_LEFT_OUT || node == 0);
}
