/* stubs.h -- the core of the runtime as an ordinary program: does for tests
 * what start.c does. Include it in one file of a test.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/clock.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/overhead.h"
#include "rt/base/lifecycle.h"
#include "rt/base/state.h"
#include "rt/heap/heap.h"
#include "rt/heap/shadow.h"
#include "rt/record/block.h"
#include "rt/record/hooks.h"
#include "rt/record/sample.h"
#include "rt/record/snapshot.h"
#include "rt/record/spread.h"
#include "rt/stack/call_values.h"
#include "rt/stack/code_cache.h"
#include "rt/stack/depot.h"
#include "rt/stack/stack_cache.h"
#include "rt/stack/unwind.h"
#include "test/unit/cmocka_all.h"

struct mprt_options mprt_options = {
#define MPROF_OPTION(name, type, value, origin, help) .name = (value),
#include "shared/options.inc"
};

uint32_t mprt_options_access_period(void)
{
    return 1;
}

/* The rows of rt/start/lifecycle.inc for the parts of the core. */
static const struct mprt_part core_parts[] = {
    {.init = mprt_hooks_init},
    {.in_child = mprt_snapshot_in_child},
    {.init = mprt_block_init, .thread_start = mprt_block_start_thread},
    {.init = mprt_sample_init,
     .thread_start = mprt_sample_start_thread,
     .in_child = mprt_sample_in_child},
    {.init = mprt_spread_init, .in_child = mprt_spread_in_child},
    {.init = mprt_mibmap_init, .in_child = mprt_mibmap_in_child},
    {.init = mprt_live_init, .in_child = mprt_live_in_child},
    {.init = mprt_call_values_init,
     .thread_start = mprt_call_values_start_thread},
    {.init = mprt_stack_cache_init,
     .thread_start = mprt_stack_cache_start_thread},
    {.thread_start = mprt_unwind_start_thread},
    {.init = mprt_depot_init, .in_child = mprt_depot_in_child},
    {.init = mprt_shadow_init},
    {.init = mprt_overhead_init, .thread_start = mprt_overhead_start_thread},
    {.init = mprt_clock_init},
    {.init = mprt_heap_init, .thread_end = mprt_heap_end_thread},
    {.in_child = mprt_code_cache_in_child},
    {.init = mprt_thread_init},
};

static inline void start_runtime(void)
{
    mprt_os_init(false);
    mprt_lifecycle_set(core_parts, MPROF_ARRAY_LEN(core_parts));
    mprt_lifecycle_init();
    mprt_state_begin(true);
}
