/* part_format.h -- rows of PARTS, in raw and indexed profiles: what is known by
 * call stack and a name, beside the blocks that each call stack allocated.
 *
 * A row has a MIB. Where it is of blocks, its fields are what they always are.
 * Where it is of blocks of a pool, they are those of sizes, lifetimes and live
 * blocks; nothing else was measured. Where it is of events, AllocCount is how
 * many there were, TotalSize what they weigh together, MinSize and MaxSize are
 * the lightest and the heaviest one, and no other field says anything. Where it
 * is of call stacks that were left out, AllocCount is how many, TotalSize what
 * they allocated, MinSize and MaxSize the fewest and the most that one merge,
 * or one dump in it, left out; of several that left out the same call stack
 * each counts it, so that AllocCount is more than there are.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_PART_FORMAT_H
#define MPROF_PART_FORMAT_H

#include "shared/base.h"

/* X(number, NAME, text, help). Numbers are never reused. */
#define MPROF_PART_KINDS(X)                                               \
    X(1, THREAD, "thread",                                                \
      "blocks that threads of this name allocated: a part of those of "   \
      "the call stack; in raw profiles column THREAD of CONTEXTS")        \
    X(2, EVENT, "event",                                                  \
      "calls of memprof_event(), which weigh what it "                    \
      "was told")                                                         \
    X(3, COPY, "copy",                                                    \
      "calls of the function of this name, which weigh "                  \
      "the bytes that it copied")                                         \
    X(4, POOL, "pool",                                                    \
      "blocks that memprof_pool_alloc() told of, of pools of this name: " \
      "sizes, lifetimes and what lives")                                  \
    X(5, LEFT_OUT, "left out",                                            \
      "call stacks that merge left out by the options of this name, "     \
      "which weigh what they allocated; not in raw profiles")

enum mprof_part_kind {
#define X(number, name, text, help) MPROF_PART_##name = (number),
    MPROF_PART_KINDS(X)
#undef X
};

/* One more than the highest number. */
enum {
    MPROF_PART_KINDS_END = sizeof(union {
#define X(number, name, text, help) char name[(number) + 1];
        MPROF_PART_KINDS(X)
#undef X
    })
};

/* The text of a kind, or NULL where there is none of this number. */
static inline const char *mprof_part_kind_text(uint64_t kind)
{
    switch (kind) {
#define X(number, name, text, help) \
    case number:                    \
        return text;
        MPROF_PART_KINDS(X)
#undef X
    default:
        return NULL;
    }
}

/* May a row be of this kind and, where node is not 0, of a call stack? Those
 * that were left out are of none. */
static inline bool mprof_part_is_valid(uint64_t kind, uint64_t node)
{
    return mprof_part_kind_text(kind) != NULL &&
           (kind != MPROF_PART_LEFT_OUT || node == 0);
}

#endif
