/* stats.c -- statistics of the runtime.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"
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

#define MEGABYTES(bytes) MPRT_DEC((bytes) / MIB_BYTES), "M"

void mprt_stats_print(const char *heading)
{
    char text[1024];
    struct mprt_textbuf t = {.out = text, .size = sizeof(text)};
    struct mprt_block_stats blocks;
    struct mprt_heap_stats heap;

    mprt_block_stats(&blocks);
    mprt_heap_stats(&heap);
    const uint64_t overhead =
        mprof_sub_sat_u64(heap.used_bytes, blocks.live_bytes);
    MPRT_TEXT(
        &t, heading, "Stats: ", MEGABYTES(blocks.allocated_bytes),
        " malloced (", MEGABYTES(overhead), " for overhead) by ",
        MPRT_DEC(blocks.allocated_blocks), " calls\nStats: ",
        MEGABYTES(blocks.allocated_bytes - blocks.live_bytes), " freed by ",
        MPRT_DEC(blocks.allocated_blocks - blocks.live_blocks),
        " calls\nStats: ", MEGABYTES(blocks.live_bytes), " in use in ",
        MPRT_DEC(blocks.live_blocks),
        " blocks\nStats: ", MEGABYTES(heap.heap_bytes), " mapped for blocks, ",
        MEGABYTES(heap.free_bytes),
        " of it free\nStats: ", MPRT_DEC(mprt_depot_count()), " call stacks; ",
        MEGABYTES(mprt_stats_memory_bytes()),
        " taken by the profiler\nStats: ", MPRT_DEC(blocks.dropped_blocks),
        " blocks not recorded, ", MPRT_DEC(blocks.foreign_frees),
        " frees of foreign memory\n");
    mprt_os_write_all(MPRT_OS_STDERR, text, t.used);
}
