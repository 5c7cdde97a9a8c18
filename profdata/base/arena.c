/* arena.c -- bump allocation from a list of blocks. A large request gets a
 * block of its own behind the first, so the first block stays in use.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/arena.h"

#include <stdlib.h>

#define BLOCK_BYTES (64u << 10)
#define LARGE_BYTES (BLOCK_BYTES / 4)
#define ALIGN 8u

struct mpdata_arena_block {
    struct mpdata_arena_block *next;
    size_t size; /* bytes after this header */
};

static struct mpdata_arena_block *new_block(size_t size)
{
    struct mpdata_arena_block *block = malloc(sizeof(*block) + size);

    if (block != NULL)
        block->size = size;
    return block;
}

static void *alloc_large(struct mpdata_arena *arena, size_t size)
{
    struct mpdata_arena_block *block = new_block(size);

    if (block == NULL)
        return NULL;
    if (arena->blocks == NULL) {
        block->next = NULL;
        arena->blocks = block;
        arena->left = 0;
    } else {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    }
    return block + 1;
}

void *mpdata_arena_alloc(struct mpdata_arena *arena, size_t size)
{
    struct mpdata_arena_block *block;

    if (size > SIZE_MAX - ALIGN - sizeof(*block))
        return NULL;
    size = (size_t)mprof_round_up(size, ALIGN);
    if (size > arena->left || arena->blocks == NULL) {
        if (size > LARGE_BYTES)
            return alloc_large(arena, size);
        block = new_block(BLOCK_BYTES);
        if (block == NULL)
            return NULL;
        block->next = arena->blocks;
        arena->blocks = block;
        arena->left = BLOCK_BYTES;
    }
    block = arena->blocks;
    arena->left -= size;
    return (uint8_t *)(block + 1) + (block->size - arena->left - size);
}

void mpdata_arena_splice(struct mpdata_arena *into, struct mpdata_arena *from)
{
    struct mpdata_arena_block *last = from->blocks;

    if (last == NULL)
        return;
    if (into->blocks == NULL) {
        *into = *from;
    } else {
        while (last->next != NULL)
            last = last->next;
        last->next = into->blocks->next;
        into->blocks->next = from->blocks;
    }
    from->blocks = NULL;
    from->left = 0;
}

void mpdata_arena_fini(struct mpdata_arena *arena)
{
    while (arena->blocks != NULL) {
        struct mpdata_arena_block *next = arena->blocks->next;

        free(arena->blocks);
        arena->blocks = next;
    }
    arena->left = 0;
}
