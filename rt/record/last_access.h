/* last_access.h -- since when live blocks have not been accessed
 * (last_access=1).
 *
 * From time to time the thread that allocates or frees looks at the counters of
 * all live blocks. A word for each granule of the heap keeps what the last look
 * that saw a change of a block's counters found: its time and the low bits of
 * their sum. The word is of the block only if that look was after the block's
 * birth: a later block at the same address was born later. A block that was not
 * accessed needs no word.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/block.h"

/* Reads the option; called once. */
void mprt_last_access_init(void);
/* A forked child does not wait for a look of its parent. */
void mprt_last_access_in_child(void);

/* How long a live block has not been accessed until life.dealloc_ns, at least;
 * of a block that never was, its age. False if that is not known. */
bool mprt_last_access_idle(const struct mprt_live_block *block,
                           uint64_t *idle_ns);
/* At a dump: where the block belongs among DETAILS. */
struct mprt_last_access {
    uint32_t kind;
    uint32_t bucket;
};
bool mprt_last_access_of(const struct mprt_live_block *block,
                         struct mprt_last_access *access);
