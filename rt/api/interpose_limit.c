/* interpose_limit.c -- functions that set and get limits, and mlockall(). The
 * limits that the program sees exclude what the runtime needs, so a program
 * that lowers them can still start threads, and its profile is written.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"
#include "rt/base/identity.h"
#include "rt/base/limit.h"

#include <errno.h>
#include <sys/mman.h>

_Static_assert(sizeof(struct rlimit) == sizeof(struct mprt_os_limit), "same");
_Static_assert(RLIM_INFINITY == MPRT_OS_NO_LIMIT, "same");

/* A child that shares this memory (vfork) has a limit of its own. */
static bool is_ours(pid_t pid, int resource)
{
    return mprt_limit_is_ours(resource) &&
           (pid == 0 || (uint32_t)pid == mprt_identity_pid()) &&
           mprt_identity_is_owner();
}

/* The kernel looks at the pointers: it tells a limit, and refuses to set one of
 * a resource that there is not, but not before it has read the limit. */
static bool are_valid(int resource, const struct rlimit *new,
                      const struct rlimit *old)
{
    const struct mprt_os_limit *const to = (const struct mprt_os_limit *)new;
    struct mprt_os_limit *const from = (struct mprt_os_limit *)(uintptr_t)old;

    return (to == NULL || mprt_os_limit(-1, to, NULL) != -EFAULT) &&
           (from == NULL || mprt_os_limit(resource, NULL, from) != -EFAULT);
}

static int change(int resource, const struct rlimit *new, struct rlimit *old)
{
    const struct mprt_os_limit before = mprt_limit_get(resource);
    int result = are_valid(resource, new, old) ? 0 : -EFAULT;

    if (new != NULL && result == 0)
        result = mprt_limit_set(
            resource, (struct mprt_os_limit){new->rlim_cur, new->rlim_max});
    if (result == 0 && old != NULL)
        *old = (struct rlimit){before.soft, before.hard};
    if (result != 0)
        errno = -result;
    return result == 0 ? 0 : -1;
}

static void count(const struct rlimit *new, const struct rlimit *old,
                  int result)
{
    if (new != NULL)
        mprt_count_read(new, sizeof(*new));
    if (old != NULL && result == 0)
        mprt_count_write(old, sizeof(*old));
}

#define LIMIT_FUNCTIONS(get, set, both, type)                               \
    MPRT_INTERFACE int both(pid_t pid, __rlimit_resource_t resource,        \
                            const type *new, type *old)                     \
    {                                                                       \
        const struct rlimit *const now = (const struct rlimit *)new;        \
        struct rlimit *const before = (struct rlimit *)old;                 \
        const int result = is_ours(pid, (int)resource)                      \
                               ? change((int)resource, now, before)         \
                               : MPRT_REAL(both)(pid, resource, new, old);  \
                                                                            \
        count(now, before, result);                                         \
        return result;                                                      \
    }                                                                       \
    MPRT_INTERFACE int get(__rlimit_resource_t resource, type *limit)       \
    {                                                                       \
        struct rlimit *const before = (struct rlimit *)limit;               \
        const int result = is_ours(0, (int)resource)                        \
                               ? change((int)resource, NULL, before)        \
                               : MPRT_REAL(get)(resource, limit);           \
                                                                            \
        count(NULL, before, result);                                        \
        return result;                                                      \
    }                                                                       \
    MPRT_INTERFACE int set(__rlimit_resource_t resource, const type *limit) \
    {                                                                       \
        const struct rlimit *const now = (const struct rlimit *)limit;      \
                                                                            \
        count(now, NULL, 0);                                                \
        return is_ours(0, (int)resource) ? change((int)resource, now, NULL) \
                                         : MPRT_REAL(set)(resource, limit); \
    }

LIMIT_FUNCTIONS(getrlimit, setrlimit, prlimit, struct rlimit)
LIMIT_FUNCTIONS(getrlimit64, setrlimit64, prlimit64, struct rlimit64)

/* Succeeds and locks nothing, like LLVM's runtime: locking would fill the
 * memory with shadow counters that nobody uses. mlock() is not intercepted. */
MPRT_INTERFACE int mlockall(int flags)
{
    const bool is_known =
        flags != 0 && (flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) == 0;

    if (!is_known)
        errno = EINVAL;
    return is_known ? 0 : -1;
}
