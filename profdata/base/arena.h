/* arena.h -- an arena: memory that is freed all at once.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

struct mpdata_arena_block;

/* Starts zeroed. */
struct mpdata_arena {
    struct mpdata_arena_block *blocks;
    size_t left; /* free bytes at the end of the first block */
};

/* size uninitialised bytes, aligned to 8; NULL when out of memory. */
void *mpdata_arena_alloc(struct mpdata_arena *arena, size_t size);
/* Moves all memory of *from to *into. */
void mpdata_arena_splice(struct mpdata_arena *into, struct mpdata_arena *from);

void mpdata_arena_fini(struct mpdata_arena *arena);
