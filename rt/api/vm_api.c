/* vm_api.c -- functions of inc/memprof_vm.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/clock.h"
#include "rt/base/libc.h"
#include "rt/base/state.h"
#include "rt/record/block.h"
#include "rt/record/last_access.h"
#include "rt/record/pool.h"
#include "rt/stack/depot.h"
#include "rt/stack/vm.h"

MPRT_INTERFACE int __memprof_vm_add(const void *interpreter,
                                    memprof_vm_frames frames)
{
    mprt_state_require();
    return frames != NULL && mprt_vm_add((uintptr_t)interpreter, frames) ? 0
                                                                         : -1;
}

MPRT_INTERFACE unsigned __memprof_vm_function(const char *name,
                                              const char *file, unsigned line)
{
    mprt_state_require();
    return mprt_vm_function(name != NULL ? name : "", file != NULL ? file : "",
                            line);
}

/* Fills in the innermost frame of a script, if there is one. */
static void find_script(uint32_t context, struct memprof_vm_block *block)
{
    uint32_t node = context != 0 ? mprt_depot_leaf(context) : MPRT_DEPOT_ROOT;

    while (node > MPRT_DEPOT_ROOT_CUT) {
        const uintptr_t pc = mprt_depot_node(node, &node);

        if (!mprt_vm_is_frame(pc))
            continue;
        const struct mprt_vm_function f = mprt_vm_function_of(pc);
        if (mprt_libc_strcmp(f.file, MPROF_LOG_SCRIPT_KIND) == 0)
            continue;
        block->function = f.name;
        block->file = f.file;
        block->line = mprt_vm_line(pc);
        return;
    }
}

MPRT_INTERFACE int __memprof_vm_block(const void *pool, const void *p,
                                      struct memprof_vm_block *block)
{
    uint64_t size;
    uint64_t idle;
    uint32_t context;
    struct mprt_live_block live;

    mprt_state_require();
    if (pool != NULL) {
        if (!mprt_pool_look((uintptr_t)pool, (uintptr_t)p, &size, &context))
            return 0;
        *block = (struct memprof_vm_block){.start = p, .bytes = size};
    } else {
        if (!mprt_block_look((uintptr_t)p, &live))
            return 0;
        context = live.context;
        *block = (struct memprof_vm_block){.start = (const void *)live.p,
                                           .bytes = live.life.size,
                                           .accesses = live.life.access_count,
                                           .reads = live.rw.reads,
                                           .has_reads = live.rw.is_measured};
        live.life.dealloc_ns = mprt_clock_now_ns();
        block->has_idle = mprt_last_access_idle(&live, &idle);
        block->idle_ns = block->has_idle ? idle : 0;
    }
    find_script(context, block);
    return 1;
}
