/* limit.c -- the program's limit of address space.
 *
 * When the program sets a hard limit, the kernel's is higher and leaves room
 * for all later reservations, because it cannot be raised again. A hard limit
 * from before the start stays as it is.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/limit.h"
#include "rt/base/sandbox.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* More than the address space of a process. */
#define HARD_ROOM ((uint64_t)1 << 48)

static _Atomic bool is_known;
static _Atomic uint64_t own_soft = MPRT_OS_NO_LIMIT;
static _Atomic uint64_t own_hard = MPRT_OS_NO_LIMIT;
static _Atomic uint64_t reserved;

static uint64_t add(uint64_t limit, uint64_t bytes)
{
    return limit < MPRT_OS_NO_LIMIT - bytes ? limit + bytes : MPRT_OS_NO_LIMIT;
}

static struct mprt_os_limit kernel_limit(void)
{
    struct mprt_os_limit limit = {MPRT_OS_NO_LIMIT, MPRT_OS_NO_LIMIT};

    mprt_os_limit(RLIMIT_AS, NULL, &limit);
    return limit;
}

static void keep(struct mprt_os_limit own)
{
    atomic_store_explicit(&own_soft, own.soft, memory_order_relaxed);
    atomic_store_explicit(&own_hard, own.hard, memory_order_relaxed);
}

/* The first call happens before there are threads. */
struct mprt_os_limit mprt_limit_get(void)
{
    if (!atomic_load_explicit(&is_known, memory_order_relaxed)) {
        struct mprt_os_limit kernel = kernel_limit();

        /* Undo the room that a program with the runtime added before it started
         * this one. */
        if (kernel.hard != MPRT_OS_NO_LIMIT && kernel.hard >= HARD_ROOM)
            kernel.hard -= HARD_ROOM;
        keep(kernel);
        atomic_store_explicit(&is_known, true, memory_order_relaxed);
    }
    return (struct mprt_os_limit){
        atomic_load_explicit(&own_soft, memory_order_relaxed),
        atomic_load_explicit(&own_hard, memory_order_relaxed)};
}

static int tell_kernel(struct mprt_os_limit own, uint64_t bytes)
{
    struct mprt_os_limit limit = {add(own.soft, bytes),
                                  add(own.hard, HARD_ROOM)};

    if (own.hard <= mprt_limit_get().hard)
        limit.hard = mprof_min_u64(limit.hard, kernel_limit().hard);
    limit.soft = mprof_min_u64(limit.soft, limit.hard);
    return mprt_os_limit(RLIMIT_AS, &limit, NULL);
}

/* Repeats because another thread may reserve meanwhile. */
static int apply(struct mprt_os_limit own)
{
    uint64_t bytes;
    int result;

    do {
        bytes = atomic_load_explicit(&reserved, memory_order_relaxed);
        result = tell_kernel(own, bytes);
    } while (result == 0 &&
             bytes != atomic_load_explicit(&reserved, memory_order_relaxed));
    return result;
}

int mprt_limit_set(struct mprt_os_limit limit)
{
    if (limit.soft > limit.hard)
        return -EINVAL;
    const int result = apply(limit);
    if (result == 0)
        keep(limit);
    return result;
}

void mprt_limit_reserve(size_t bytes)
{
    const struct mprt_os_limit own = mprt_limit_get();

    atomic_fetch_add_explicit(&reserved, bytes, memory_order_relaxed);
    if (own.soft != MPRT_OS_NO_LIMIT)
        apply(own);
}

bool mprt_limit_use(size_t bytes)
{
    static const struct mprt_sandbox_call limiting = {SYS_prlimit64,
                                                      {0, RLIMIT_AS, 1, 0}};
    const struct mprt_os_limit own = mprt_limit_get();
    void *probe = NULL;

    if (own.soft != MPRT_OS_NO_LIMIT) {
        probe = mprt_os_reserve(0, bytes);
        if (probe == NULL)
            return false;
        mprt_os_unmap(probe, bytes);
    }
    atomic_fetch_sub_explicit(&reserved, bytes, memory_order_relaxed);
    if (probe != NULL && mprt_sandbox_makes(&limiting))
        apply(own);
    return true;
}

void mprt_limit_before_exec(void)
{
    struct mprt_os_limit kernel = kernel_limit();
    const uint64_t soft = mprt_limit_get().soft;

    if (soft >= kernel.soft)
        return;
    kernel.soft = soft;
    mprt_os_limit(RLIMIT_AS, &kernel, NULL);
}

void mprt_limit_after_failed_exec(void)
{
    const struct mprt_os_limit own = mprt_limit_get();

    if (own.soft != MPRT_OS_NO_LIMIT)
        apply(own);
}
