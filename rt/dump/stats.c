/* stats.c -- statistics of the runtime.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/stats.h"
#include "rt/base/internal_alloc.h"
#include "rt/base/os.h"
#include "rt/base/log.h"
#include "rt/heap/heap.h"
#include "rt/record/block.h"
#include "rt/record/live.h"
#include "rt/record/mibmap.h"
#include "rt/stack/depot.h"

#define MIB_BYTES (UINT64_C(1) << 20)

uint64_t mprt_stats_memory_bytes(void)
{
    return mprt_internal_alloc_mapped_bytes() + mprt_depot_memory_bytes() +
           mprt_mibmap_memory_bytes() + mprt_live_memory_bytes();
}

static void add_megabytes(struct mprt_textbuf *t, uint64_t bytes)
{
    mprt_textbuf_uint(t, bytes / MIB_BYTES);
    mprt_textbuf_char(t, 'M');
}

static void add_stats(struct mprt_textbuf *t)
{
    struct mprt_block_stats blocks;
    struct mprt_heap_stats heap;

    mprt_block_stats(&blocks);
    mprt_heap_stats(&heap);
    mprt_textbuf_str(t, "Stats: ");
    add_megabytes(t, blocks.allocated_bytes);
    mprt_textbuf_str(t, " malloced (");
    add_megabytes(t, heap.used_bytes > blocks.live_bytes
                         ? heap.used_bytes - blocks.live_bytes
                         : 0);
    mprt_textbuf_str(t, " for overhead) by ");
    mprt_textbuf_uint(t, blocks.allocated_blocks);
    mprt_textbuf_str(t, " calls\nStats: ");
    add_megabytes(t, blocks.allocated_bytes - blocks.live_bytes);
    mprt_textbuf_str(t, " freed by ");
    mprt_textbuf_uint(t, blocks.allocated_blocks - blocks.live_blocks);
    mprt_textbuf_str(t, " calls\nStats: ");
    add_megabytes(t, blocks.live_bytes);
    mprt_textbuf_str(t, " in use in ");
    mprt_textbuf_uint(t, blocks.live_blocks);
    mprt_textbuf_str(t, " blocks\nStats: ");
    add_megabytes(t, heap.heap_bytes);
    mprt_textbuf_str(t, " mapped for blocks, ");
    add_megabytes(t, heap.free_bytes);
    mprt_textbuf_str(t, " of it free\nStats: ");
    mprt_textbuf_uint(t, mprt_depot_count());
    mprt_textbuf_str(t, " call stacks; ");
    add_megabytes(t, mprt_stats_memory_bytes());
    mprt_textbuf_str(t, " taken by the profiler\nStats: ");
    mprt_textbuf_uint(t, blocks.dropped_blocks);
    mprt_textbuf_str(t, " blocks not recorded, ");
    mprt_textbuf_uint(t, blocks.foreign_frees);
    mprt_textbuf_str(t, " frees of foreign memory\n");
}

void mprt_stats_print(const char *heading)
{
    char text[1024];
    struct mprt_textbuf t = {.out = text, .size = sizeof(text)};

    mprt_textbuf_str(&t, heading);
    add_stats(&t);
    mprt_os_write_all(MPRT_OS_STDERR, text, t.used);
}
