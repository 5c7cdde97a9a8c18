/* rt_stubs.h -- what the core of the runtime takes from entry.c, options.c and
 * interface.c, for tests that run it as an ordinary program. To be included by
 * one file of a test.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPTEST_RT_STUBS_H
#define MPTEST_RT_STUBS_H

#include "rt/record/block.h"
#include "rt/stack/depot.h"
#include "rt/heap/heap.h"
#include "rt/record/mibmap.h"
#include "rt/stack/stack_cache.h"
#include "test/unit/cmocka_all.h"

struct mprt_options mprt_options = {
#define MPROF_OPTION(name, type, value, origin, help) .name = (value),
#include "shared/options.inc"
};

const bool mprt_is_static = false;
_Atomic bool mprt_recording = true;
_Atomic bool mprt_running = true;
_Atomic bool mprt_has_hooks;

/* There is no helper here. */
bool mprt_helper_is_here(void)
{
    return false;
}

int mprt_helper_open_fd(int fd)
{
    return -fd;
}

void mprt_hook_malloc(const void *p, size_t size)
{
    (void)p;
    (void)size;
}

bool mprt_hook_free(const void *p)
{
    (void)p;
    return false;
}

/* As entry.c does it. */
static inline int start_runtime(bool histogram)
{
    mprt_sys_init();
    if (!mprt_heap_init() || !mprt_shadow_init(histogram, false) ||
        !mprt_depot_init() || !mprt_mibmap_init())
        return -1;
    mprt_clock_init();
    mprt_block_init();
    mprt_stack_init();
    mprt_thread_init();
    return 0;
}

#endif
