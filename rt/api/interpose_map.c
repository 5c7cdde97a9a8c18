/* interpose_map.c -- the functions by which a program maps memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os.h"
#include "rt/process/process.h"
#include "rt/real/real.h"
#include "rt/record/mapping.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

static uint64_t in_pages(size_t size)
{
    return mprof_round_up(size, mprt_os_page_bytes());
}

#define MMAP(name)                                                          \
    MPRT_INTERFACE void *name(void *at, size_t size, int prot, int flags,   \
                              int fd, off_t offset)                         \
    {                                                                       \
        void *const p = MPRT_REAL(name)(at, size, prot, flags, fd, offset); \
        const int saved_errno = errno;                                      \
                                                                            \
        if (p != MAP_FAILED)                                                \
            mprt_mapping_add((uintptr_t)p, in_pages(size),                  \
                             mprt_mapping_kind_of(prot, flags),             \
                             MPRT_CALLER());                                \
        if (p != MAP_FAILED)                                                \
            mprt_rings_map(fd, (uint64_t)offset, (uintptr_t)p);             \
        errno = saved_errno;                                                \
        return p;                                                           \
    }
MMAP(mmap)
MMAP(mmap64)

MPRT_INTERFACE int munmap(void *p, size_t size)
{
    uint64_t signals;
    const bool is_locked = mprt_mapping_lock(&signals);
    const int result = MPRT_REAL(munmap)(p, size);
    const int saved_errno = errno;

    if (is_locked && result == 0)
        mprt_mapping_end((uintptr_t)p, in_pages(size));
    if (is_locked)
        mprt_mapping_unlock(signals);
    errno = saved_errno;
    return result;
}

/* The new mapping is one of this call, as a block that realloc() moves. */
MPRT_INTERFACE void *mremap(void *old, size_t old_size, size_t size, int flags,
                            ...)
{
    va_list list;
    uint64_t signals;
    enum mprt_mapping_kind kind = MPRT_MAPPING_NONE;

    va_start(list, flags);
    void *const at = va_arg(list, void *);
    va_end(list);
    const bool is_locked = mprt_mapping_lock(&signals);
    if (is_locked)
        kind = mprt_mapping_kind_at((uintptr_t)old);
    void *const p = MPRT_REAL(mremap)(old, old_size, size, flags, at);
    const int saved_errno = errno;
    if (is_locked && p != MAP_FAILED)
        mprt_mapping_end((uintptr_t)old, in_pages(old_size));
    if (is_locked)
        mprt_mapping_unlock(signals);
    if (p != MAP_FAILED && kind != MPRT_MAPPING_NONE)
        mprt_mapping_add((uintptr_t)p, in_pages(size), kind, MPRT_CALLER());
    errno = saved_errno;
    return p;
}

/* The program break moved. */
static void move_break(uintptr_t from, uintptr_t to, struct mprt_caller caller)
{
    const int saved_errno = errno;
    uint64_t signals;

    if (to > from) {
        mprt_mapping_add(from, to - from, MPRT_MAPPING_BREAK, caller);
    } else if (to < from && mprt_mapping_lock(&signals)) {
        mprt_mapping_end(to, from - to);
        mprt_mapping_unlock(signals);
    }
    errno = saved_errno;
}

MPRT_INTERFACE void *sbrk(intptr_t more)
{
    void *const before = MPRT_REAL(sbrk)(more);

    if (before != MAP_FAILED)
        move_break((uintptr_t)before, (uintptr_t)before + (uintptr_t)more,
                   MPRT_CALLER());
    return before;
}

MPRT_INTERFACE int brk(void *to)
{
    const uintptr_t before = (uintptr_t)MPRT_REAL(sbrk)(0);
    const int result = MPRT_REAL(brk)(to);

    if (result == 0)
        move_break(before, (uintptr_t)to, MPRT_CALLER());
    return result;
}
