/* os_memory.c -- mappings and pages.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os_call.h"

#include <linux/sysinfo.h>
#include <sys/mman.h>

static void *map(uintptr_t addr, size_t bytes, int protection, int flags)
{
    const int64_t result = mprt_os_call(
        SYS_mmap, addr, bytes, (uint64_t)protection,
        (uint64_t)(MAP_PRIVATE | MAP_ANONYMOUS | flags), UINT64_MAX, 0);

    return is_error(result) ? NULL : (void *)result;
}

void *mprt_os_map(size_t bytes)
{
    return map(0, bytes, PROT_READ | PROT_WRITE, 0);
}

void *mprt_os_reserve(uintptr_t hint, size_t bytes)
{
    return map(hint, bytes, PROT_NONE, MAP_NORESERVE);
}

static bool map_over(void *addr, size_t bytes, int flags)
{
    return map((uintptr_t)addr, bytes, PROT_READ | PROT_WRITE,
               MAP_FIXED | MAP_NORESERVE | flags) == addr;
}

bool mprt_os_open(void *addr, size_t bytes)
{
    const int64_t result =
        call4(SYS_mprotect, (uintptr_t)addr, bytes, PROT_READ | PROT_WRITE, 0);

    /* Sandboxes that forbid mprotect() may allow mmap(). */
    return !is_error(result) ||
           (result != ERROR_NO_MEMORY && map_over(addr, bytes, 0));
}

bool mprt_os_open_as_stack(void *addr, size_t bytes)
{
    return map_over(addr, bytes, MAP_GROWSDOWN);
}

bool mprt_os_is_root(void)
{
    return call4(SYS_geteuid, 0, 0, 0, 0) == 0;
}

int mprt_os_limit(int resource, const struct mprt_os_limit *now,
                  struct mprt_os_limit *before)
{
    return (int)call4(SYS_prlimit64, 0, (uint64_t)resource, (uintptr_t)now,
                      (uintptr_t)before);
}

void mprt_os_advise(void *addr, size_t bytes, int advice)
{
    call4(SYS_madvise, (uintptr_t)addr, bytes, (uint64_t)advice, 0);
}

void mprt_os_unmap(void *addr, size_t bytes)
{
    call4(SYS_munmap, (uintptr_t)addr, bytes, 0, 0);
}

/* MADV_DONTNEED_LOCKED of Linux 5.18; older headers lack it. */
#define DONTNEED_LOCKED 24

bool mprt_os_discard(void *addr, size_t bytes)
{
    return !is_error(
               call4(SYS_madvise, (uintptr_t)addr, bytes, MADV_DONTNEED, 0)) ||
           !is_error(
               call4(SYS_madvise, (uintptr_t)addr, bytes, DONTNEED_LOCKED, 0));
}

bool mprt_os_renew(void *addr, size_t bytes)
{
    return map_over(addr, bytes, 0);
}

uint64_t mprt_os_memory_bytes(void)
{
    struct sysinfo info;

    return is_error(call4(SYS_sysinfo, (uintptr_t)&info, 0, 0, 0))
               ? UINT64_MAX
               : (info.totalram + info.totalswap) * info.mem_unit;
}

/* Argument of PAGEMAP_SCAN, of Linux 6.7; older headers lack it. */
struct scan_argument {
    uint64_t size, flags, start, end, walk_end, regions, regions_count;
    uint64_t max_pages, inverted, all_of, any_of, returned;
};
#define SCAN_NUMBER UINT64_C(0xc0606610)
_Static_assert(sizeof(struct scan_argument) == 96, "as the number says");
#define SCAN_EXISTS UINT64_C(0x18) /* pages that are present or swapped out */

int64_t mprt_os_scan_pages(int fd, uintptr_t start, uintptr_t end,
                           struct mprt_os_region *regions, size_t count,
                           uintptr_t *next)
{
    struct scan_argument a = {.size = sizeof(a),
                              .start =
                                  mprof_round_down(start, mprt_os_page_bytes()),
                              .end = mprof_round_up(end, mprt_os_page_bytes()),
                              .regions = (uintptr_t)regions,
                              .regions_count = count,
                              .any_of = SCAN_EXISTS,
                              .returned = SCAN_EXISTS};
    const int64_t n =
        call4(SYS_ioctl, (uint64_t)fd, SCAN_NUMBER, (uintptr_t)&a, 0);
    *next = (uintptr_t)a.walk_end;
    return n;
}

bool mprt_os_are_resident(uintptr_t addr, size_t bytes, unsigned char *pages)
{
    return !is_error(call4(SYS_mincore, addr, bytes, (uintptr_t)pages, 0));
}

size_t mprt_os_page_bytes(void)
{
    return 4096; /* x86-64 has no other page size */
}

bool mprt_os_is_readable(uintptr_t addr)
{
    /* The kernel reads the new mask before it rejects the invalid first
     * argument, so EFAULT means unreadable memory and EINVAL readable memory.
     * The call changes no mask, and no sandbox forbids it. */
    return call4(SYS_rt_sigprocmask, UINT32_MAX, addr & ~(uintptr_t)7, 0, 8) ==
           ERROR_INVALID;
}

bool mprt_os_are_readable(const void *data, size_t bytes)
{
    const uintptr_t page = mprt_os_page_bytes();
    const uintptr_t end = (uintptr_t)data + bytes;

    for (uintptr_t at = (uintptr_t)data; at < end; at = (at | (page - 1)) + 1) {
        if (!mprt_os_is_readable(at))
            return at >= page && !mprt_os_is_readable((uintptr_t)&page);
    }
    return end >= (uintptr_t)data && bytes != 0;
}
