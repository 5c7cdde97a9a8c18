/* ignored.c -- what the program declared about leaks.
 *
 * Ignored blocks are kept in a list beside the heap, because they are few. A
 * block in the list may have ended. When the list is full or read, each entry
 * is compared with the block that lives in its place. The lists lie in mapped
 * memory: in a variable, their pointers would keep the blocks reachable.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/ignored.h"
#include "rt/base/lock.h"
#include "rt/base/mapbuf.h"
#include "rt/base/os.h"
#include "rt/record/block.h"
#include "rt/record/hooks.h"

struct region {
    uintptr_t start;
    size_t bytes;
};

struct mprt_lock mprt_ignored_lock;
static struct mprof_buf blocks;  /* struct mprt_held_block */
static struct mprof_buf regions; /* struct region */
static bool is_ready;
static _Thread_local uint32_t disabled;

static uint64_t enter(void)
{
    const uint64_t signals = mprt_os_block_signals();

    mprt_lock_acquire(&mprt_ignored_lock);
    if (!is_ready) {
        mprt_mapbuf_init(&blocks);
        mprt_mapbuf_init(&regions);
        is_ready = true;
    }
    return signals;
}

static void leave(uint64_t signals)
{
    mprt_lock_release(&mprt_ignored_lock);
    mprt_os_restore_signals(signals);
}

static struct mprt_held_block *all_blocks(void)
{
    return (struct mprt_held_block *)(void *)blocks.data;
}

static struct region *all_regions(void)
{
    return (struct region *)(void *)regions.data;
}

static bool is_alive(const struct mprt_held_block *b)
{
    struct mprt_held_block now;

    return mprt_block_describe(b->p, &now) && now.state == b->state &&
           now.context == b->context && now.birth_ns == b->birth_ns;
}

static void drop_dead(void)
{
    struct mprt_held_block *const all = all_blocks();
    const size_t count = blocks.size / sizeof(*all);
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (is_alive(&all[i]))
            all[kept++] = all[i];
    }
    blocks.size = kept * sizeof(*all);
}

void mprt_ignored_add(const void *p)
{
    struct mprt_held_block block;
    const uint64_t signals = enter();

    if (blocks.size + sizeof(block) > blocks.capacity)
        drop_dead();
    if (mprt_block_describe((uintptr_t)p, &block))
        mprof_buf_bytes(&blocks, &block, sizeof(block));
    leave(signals);
}

/* Called for each block that this thread makes outside the guard. */
static void note_block(const void *p)
{
    if (disabled != 0)
        mprt_ignored_add(p);
}

void mprt_ignored_disable(void)
{
    disabled++;
    mprt_hooks_note_blocks(note_block);
}

void mprt_ignored_enable(void)
{
    if (disabled != 0)
        disabled--;
}

void mprt_ignored_add_region(const void *start, size_t bytes)
{
    const struct region region = {(uintptr_t)start, bytes};
    const uint64_t signals = enter();

    mprof_buf_bytes(&regions, &region, sizeof(region));
    leave(signals);
}

bool mprt_ignored_remove_region(const void *start, size_t bytes)
{
    const uint64_t signals = enter();
    struct region *const all = all_regions();
    const size_t count = regions.size / sizeof(*all);
    size_t i = 0;

    while (i < count &&
           (all[i].start != (uintptr_t)start || all[i].bytes != bytes))
        i++;
    if (i < count) {
        all[i] = all[count - 1];
        regions.size -= sizeof(*all);
    }
    leave(signals);
    return i < count;
}

void mprt_ignored_walk_held(void (*block)(uintptr_t p),
                            void (*region)(uintptr_t start, uintptr_t end))
{
    for (size_t i = 0; i < blocks.size / sizeof(struct mprt_held_block); i++) {
        if (is_alive(&all_blocks()[i]))
            block(all_blocks()[i].p);
    }
    for (size_t i = 0; i < regions.size / sizeof(struct region); i++)
        region(all_regions()[i].start,
               all_regions()[i].start + all_regions()[i].bytes);
}
