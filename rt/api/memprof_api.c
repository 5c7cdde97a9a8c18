/* memprof_api.c -- functions of inc/memprof.h by which programs inform the
 * profiler. sanitizer_api.c has those that control and query it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define MEMPROF_RUNTIME
#include "inc/memprof.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/state.h"
#include "rt/base/thread.h"
#include "rt/heap/shadow.h"
#include "rt/record/block.h"
#include "rt/record/event.h"
#include "rt/record/named.h"
#include "rt/record/pool.h"
#include "rt/stack/names.h"

MPRT_INTERFACE void __memprof_thread_name(const char *name)
{
    mprt_state_require();
    if (!mprt_options.per_thread)
        return;
    struct mprt_thread *const t = mprt_thread_current();
    if (t != NULL)
        mprt_names_set_thread(t, name);
}

MPRT_INTERFACE void __memprof_event(const char *name, unsigned long long weight)
{
    mprt_state_require();
    if (name != NULL && mprt_state_is_recording())
        mprt_event_record(mprt_names_of_event(MPROF_TAG_EVENT, name), weight,
                          MPRT_CALLER());
}

MPRT_INTERFACE void __memprof_block_histogram(const void *p)
{
    size_t size;

    mprt_state_require();
    if (mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM)
        return; /* every block has a histogram already */
    const void *const block = mprt_block_holding(p, &size);
    if (block == NULL)
        return;
    if (mprt_named_add((uintptr_t)block))
        mprt_state_set(MPRT_STATE_HOOKS);
    else
        MPRT_LOG_ONCE("too many live blocks with histograms");
}

MPRT_INTERFACE void __memprof_pool_create(const void *pool, const char *name)
{
    mprt_state_require();
    mprt_pool_create(
        (uintptr_t)pool,
        mprt_names_of_event(MPROF_TAG_POOL, name != NULL ? name : ""));
}

MPRT_INTERFACE void __memprof_pool_destroy(const void *pool)
{
    mprt_state_require();
    mprt_pool_end((uintptr_t)pool, false);
}

MPRT_INTERFACE void __memprof_pool_clear(const void *pool)
{
    mprt_state_require();
    mprt_pool_end((uintptr_t)pool, true);
}

MPRT_INTERFACE void __memprof_pool_alloc(const void *pool, const void *p,
                                         unsigned long long size)
{
    mprt_state_require();
    if (p != NULL)
        mprt_pool_alloc((uintptr_t)pool, NULL, (uintptr_t)p, size,
                        MPRT_CALLER());
}

MPRT_INTERFACE void __memprof_pool_free(const void *pool, const void *p)
{
    mprt_state_require();
    if (p != NULL)
        mprt_pool_free((uintptr_t)pool, (uintptr_t)p);
}
