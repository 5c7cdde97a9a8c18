/* limit.c -- limits of the program that leave room for the runtime.
 *
 * When the program sets a hard limit, the kernel's is higher and leaves room
 * for all that the runtime needs later, because it cannot be raised again. A
 * hard limit from before the start stays as it is.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/limit.h"
#include "rt/base/procfs.h"
#include "rt/base/sandbox.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* More than the address space of a process. */
#define HARD_ROOM ((uint64_t)1 << 48)

/* -- Address space --------------------------------------------------------- */

static _Atomic bool is_known;
static _Atomic uint64_t own_soft = MPRT_OS_NO_LIMIT;
static _Atomic uint64_t own_hard = MPRT_OS_NO_LIMIT;
static _Atomic uint64_t reserved;

static uint64_t add(uint64_t limit, uint64_t bytes)
{
    return limit < MPRT_OS_NO_LIMIT - bytes ? limit + bytes : MPRT_OS_NO_LIMIT;
}

static struct mprt_os_limit kernel_limit(int resource)
{
    struct mprt_os_limit limit = {MPRT_OS_NO_LIMIT, MPRT_OS_NO_LIMIT};

    mprt_os_limit(resource, NULL, &limit);
    return limit;
}

static void keep(struct mprt_os_limit own)
{
    MPRT_STORE(own_soft, own.soft);
    MPRT_STORE(own_hard, own.hard);
}

/* The first call happens before there are threads. */
static struct mprt_os_limit space_limit(void)
{
    if (!MPRT_LOAD(is_known)) {
        struct mprt_os_limit kernel = kernel_limit(RLIMIT_AS);

        /* Undo the room that a program with the runtime added before it started
         * this one. */
        if (kernel.hard != MPRT_OS_NO_LIMIT && kernel.hard >= HARD_ROOM)
            kernel.hard -= HARD_ROOM;
        keep(kernel);
        MPRT_STORE(is_known, true);
    }
    return (struct mprt_os_limit){MPRT_LOAD(own_soft), MPRT_LOAD(own_hard)};
}

static int tell_kernel(struct mprt_os_limit own, uint64_t bytes)
{
    struct mprt_os_limit limit = {add(own.soft, bytes),
                                  add(own.hard, HARD_ROOM)};

    if (own.hard <= space_limit().hard)
        limit.hard = mprof_min_u64(limit.hard, kernel_limit(RLIMIT_AS).hard);
    limit.soft = mprof_min_u64(limit.soft, limit.hard);
    return mprt_os_limit(RLIMIT_AS, &limit, NULL);
}

/* Repeats because another thread may reserve meanwhile. */
static int apply(struct mprt_os_limit own)
{
    uint64_t bytes;
    int result;

    do {
        bytes = MPRT_LOAD(reserved);
        result = tell_kernel(own, bytes);
    } while (result == 0 && bytes != MPRT_LOAD(reserved));
    return result;
}

void mprt_limit_reserve(size_t bytes)
{
    const struct mprt_os_limit own = space_limit();

    MPRT_ADD(reserved, bytes);
    if (own.soft != MPRT_OS_NO_LIMIT)
        apply(own);
}

static bool can_limit(int resource)
{
    const struct mprt_sandbox_call limiting = {SYS_prlimit64,
                                               {0, (uint64_t)resource, 1, 0}};

    return mprt_sandbox_makes(&limiting);
}

bool mprt_limit_use(size_t bytes)
{
    const struct mprt_os_limit own = space_limit();
    void *probe = NULL;

    if (own.soft != MPRT_OS_NO_LIMIT) {
        probe = mprt_os_reserve(0, bytes);
        if (probe == NULL)
            return false;
        mprt_os_unmap(probe, bytes);
    }
    atomic_fetch_sub_explicit(&reserved, bytes, memory_order_relaxed);
    if (probe != NULL && can_limit(RLIMIT_AS))
        apply(own);
    return true;
}

/* -- Files ----------------------------------------------------------------- */

/* Their size and number. The kernel's soft limit is the program's but while a
 * dump is made. A program may have descriptors above its limit, from before it
 * set it, and none below. */
struct file_limit {
    int resource;
    uint64_t room; /* for a dump */
    _Atomic uint64_t own_hard;
    struct mprt_os_limit before_dump;
    struct mprt_os_limit in_dump;
};

static struct file_limit file_limits[] = {
    {.resource = RLIMIT_FSIZE,
     .room = (uint64_t)1 << 40,
     .own_hard = MPRT_OS_NO_LIMIT},
    {.resource = RLIMIT_NOFILE, .room = 64, .own_hard = MPRT_OS_NO_LIMIT}};

static struct file_limit *find_file_limit(int resource)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(file_limits); i++) {
        if (file_limits[i].resource == resource)
            return &file_limits[i];
    }
    return NULL;
}

static struct mprt_os_limit get_file_limit(const struct file_limit *l)
{
    struct mprt_os_limit limit = kernel_limit(l->resource);

    limit.hard = mprof_min_u64(limit.hard, MPRT_LOAD(l->own_hard));
    limit.soft = mprof_min_u64(limit.soft, limit.hard);
    return limit;
}

/* Raises the limit for the look, if all descriptors are in use. */
static uint64_t descriptors_end(void)
{
    const struct mprt_os_limit now = kernel_limit(RLIMIT_NOFILE);
    const struct mprt_os_limit more = {now.hard, now.hard};
    uint64_t end = mprt_procfs_descriptors_end();

    if (end == 0 && mprt_os_limit(RLIMIT_NOFILE, &more, NULL) == 0) {
        end = mprt_procfs_descriptors_end();
        mprt_os_limit(RLIMIT_NOFILE, &now, NULL);
    }
    return end;
}

static int set_file_limit(struct file_limit *l, struct mprt_os_limit own)
{
    const bool has_descriptors = l->resource == RLIMIT_NOFILE &&
                                 own.hard < kernel_limit(l->resource).hard;
    const uint64_t end = has_descriptors ? descriptors_end() : 0;
    struct mprt_os_limit limit = {own.soft,
                                  add(mprof_max_u64(own.hard, end), l->room)};

    if (own.hard <= get_file_limit(l).hard)
        limit.hard = mprof_min_u64(limit.hard, kernel_limit(l->resource).hard);
    const int result = mprt_os_limit(l->resource, &limit, NULL);
    if (result == 0)
        MPRT_STORE(l->own_hard, own.hard);
    return result;
}

static void raise_for_dump(struct file_limit *l)
{
    mprt_os_limit(l->resource, &l->in_dump, NULL);
    if (l->resource != RLIMIT_NOFILE || mprt_os_can_open())
        return;
    l->in_dump.soft = l->in_dump.hard;
    mprt_os_limit(l->resource, &l->in_dump, NULL);
}

void mprt_limit_before_dump(void)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(file_limits); i++) {
        struct file_limit *const l = &file_limits[i];
        l->before_dump = kernel_limit(l->resource);
        l->in_dump = l->before_dump;
        l->in_dump.soft =
            mprof_min_u64(add(l->in_dump.soft, l->room), l->in_dump.hard);
        if (l->in_dump.soft != l->before_dump.soft && can_limit(l->resource))
            raise_for_dump(l);
    }
}

/* Unless the program has set another one meanwhile. */
void mprt_limit_after_dump(void)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(file_limits); i++) {
        struct file_limit *const l = &file_limits[i];
        if (l->in_dump.soft != l->before_dump.soft &&
            kernel_limit(l->resource).soft == l->in_dump.soft &&
            can_limit(l->resource))
            mprt_os_limit(l->resource, &l->before_dump, NULL);
    }
}

/* -- What the program sees ------------------------------------------------- */

bool mprt_limit_is_ours(int resource)
{
    return resource == RLIMIT_AS || find_file_limit(resource) != NULL;
}

struct mprt_os_limit mprt_limit_get(int resource)
{
    return resource == RLIMIT_AS ? space_limit()
                                 : get_file_limit(find_file_limit(resource));
}

int mprt_limit_set(int resource, struct mprt_os_limit limit)
{
    if (limit.soft > limit.hard)
        return -EINVAL;
    if (resource != RLIMIT_AS)
        return set_file_limit(find_file_limit(resource), limit);
    const int result = apply(limit);
    if (result == 0)
        keep(limit);
    return result;
}

/* -- Another program ------------------------------------------------------- */

static void leave_hard_limits(void)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(file_limits); i++) {
        const struct mprt_os_limit own = get_file_limit(&file_limits[i]);
        if (own.hard < kernel_limit(file_limits[i].resource).hard)
            mprt_os_limit(file_limits[i].resource, &own, NULL);
    }
}

void mprt_limit_before_exec(void)
{
    struct mprt_os_limit kernel = kernel_limit(RLIMIT_AS);
    const uint64_t soft = space_limit().soft;

    leave_hard_limits();
    if (soft >= kernel.soft)
        return;
    kernel.soft = soft;
    mprt_os_limit(RLIMIT_AS, &kernel, NULL);
}

void mprt_limit_after_failed_exec(void)
{
    const struct mprt_os_limit own = space_limit();

    if (own.soft != MPRT_OS_NO_LIMIT)
        apply(own);
}
