/* json_memory.c -- memory for yajl.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/json_memory.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Header of each allocation. */
struct mpdata_json_block {
    struct mpdata_json_block *next;
    struct mpdata_json_block **link; /* the pointer to this block */
    max_align_t bytes[];
};

static void link_block(struct mpdata_json_memory *memory,
                       struct mpdata_json_block *block)
{
    block->next = memory->blocks;
    block->link = &memory->blocks;
    if (block->next != NULL)
        block->next->link = &block->next;
    memory->blocks = block;
}

static void unlink_block(struct mpdata_json_block *block)
{
    *block->link = block->next;
    if (block->next != NULL)
        block->next->link = block->link;
}

static struct mpdata_json_block *block_of(void *bytes)
{
    return (struct mpdata_json_block *)((char *)bytes -
                                        sizeof(struct mpdata_json_block));
}

static void *resize(void *context, void *bytes, size_t size)
{
    struct mpdata_json_memory *const memory = context;
    struct mpdata_json_block *const old =
        bytes != NULL ? block_of(bytes) : NULL;
    struct mpdata_json_block *block = NULL;

    if (old != NULL)
        unlink_block(old);
    if (size <= SIZE_MAX - sizeof(*block))
        block = realloc(old, sizeof(*block) + size);
    if (block != NULL || old != NULL)
        link_block(memory, block != NULL ? block : old);
    if (block == NULL)
        longjmp(memory->escape, 1);
    return block->bytes;
}

static void *take(void *context, size_t size)
{
    return resize(context, NULL, size);
}

static void give_back(void *context, void *bytes)
{
    (void)context;
    if (bytes == NULL)
        return;
    unlink_block(block_of(bytes));
    free(block_of(bytes));
}

void mpdata_json_memory_init(struct mpdata_json_memory *memory)
{
    memory->blocks = NULL;
    memory->funcs = (yajl_alloc_funcs){
        .malloc = take, .realloc = resize, .free = give_back, .ctx = memory};
}

void mpdata_json_memory_fini(struct mpdata_json_memory *memory)
{
    while (memory->blocks != NULL)
        give_back(memory, memory->blocks->bytes);
}
