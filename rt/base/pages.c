/* pages.c -- pages of our memory that exist.
 *
 * A scan of the page tables skips unmapped ranges, so its time depends on the
 * number of existing pages. Before Linux 6.7 we read a word for each page
 * instead.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/pages.h"
#include "rt/base/libc.h"
#include "rt/base/os.h"

#define ENTRIES 128 /* small, because a signal's stack may be small */
/* Bits of /proc/self/pagemap: present, swapped out. */
#define EXISTS UINT64_C(0xc000000000000000)
#define REGIONS 32

struct walk {
    const char *from; /* memory before it has been visited */
    const char *to;
    mprt_pages_fn *visit;
    void *context;
};

static void visit_part(const struct walk *w, uintptr_t start, uintptr_t end)
{
    const char *const from =
        (const char *)mprof_max_u64(start, (uintptr_t)w->from);
    const char *const to = (const char *)mprof_min_u64(end, (uintptr_t)w->to);

    if (from < to)
        w->visit(w->context, from, to);
}

/* False if the kernel cannot scan. */
static bool scan(struct walk *w, int fd)
{
    struct mprt_os_region regions[REGIONS];

    while (w->from < w->to) {
        uintptr_t next;
        const int64_t n = mprt_os_scan_pages(
            fd, (uintptr_t)w->from, (uintptr_t)w->to, regions, REGIONS, &next);
        if (n < 0 || next <= (uintptr_t)w->from)
            return false;
        for (int64_t i = 0; i < n; i++)
            visit_part(w, regions[i].start, regions[i].end);
        w->from = (const char *)next;
    }
    return true;
}

static void read_words(struct walk *w, int fd)
{
    const size_t page = mprt_os_page_bytes();
    uint64_t entries[ENTRIES];

    while (w->from < w->to) {
        const uintptr_t first = (uintptr_t)w->from / page;
        const uintptr_t last = ((uintptr_t)w->to + page - 1) / page;
        const size_t want = mprof_min_u64(last - first, ENTRIES);
        const int64_t got = mprt_os_read_at(
            fd, entries, want * sizeof(entries[0]), first * sizeof(entries[0]));
        if (got < (int64_t)sizeof(entries[0]))
            return;
        for (size_t i = 0; i < (size_t)got / sizeof(entries[0]); i++) {
            if ((entries[i] & EXISTS) != 0)
                visit_part(w, (first + i) * page, (first + i + 1) * page);
        }
        w->from =
            (const char *)((first + (size_t)got / sizeof(entries[0])) * page);
    }
}

void mprt_pages_visit(const char *from, const char *to, mprt_pages_fn *visit,
                      void *context)
{
    struct walk w = {from, to, visit, context};
    int fd = -1;

    if ((size_t)(to - from) >= MPRT_PAGES_SPARSE_BYTES)
        fd = mprt_os_open_read("/proc/self/pagemap");
    if (fd >= 0) {
        if (!scan(&w, fd))
            read_words(&w, fd);
        mprt_os_close(fd);
    }
    /* Without the file, visit everything that is left. */
    if (w.from < w.to)
        visit(context, w.from, w.to);
}

static bool is_zero(const char *from, const char *to)
{
    uint64_t any = 0;

    for (; to - from >= (ptrdiff_t)sizeof(any); from += sizeof(any)) {
        uint64_t word;

        __builtin_memcpy(&word, from, sizeof(word));
        any |= word;
    }
    for (; from != to; from++)
        any |= (unsigned char)*from;
    return any == 0;
}

/* Page by page, so that pages which were never written stay unallocated. */
static void zero_part(void *context, const char *from, const char *to)
{
    const size_t page = mprt_os_page_bytes();

    (void)context;
    while (from < to) {
        const char *const end = (const char *)mprof_min_u64(
            mprof_round_down((uintptr_t)from, page) + page, (uintptr_t)to);
        if (!is_zero(from, end))
            mprt_libc_memset((char *)(uintptr_t)from, 0, (size_t)(end - from));
        from = end;
    }
}

void mprt_pages_clear(void *memory, size_t bytes)
{
    const size_t page = mprt_os_page_bytes();
    char *const start = (char *)memory;
    char *const end = start + bytes;
    char *const inner =
        (char *)(uintptr_t)mprof_round_up((uintptr_t)start, page);
    char *const inner_end =
        (char *)(uintptr_t)mprof_round_down((uintptr_t)end, page);

    if (inner >= inner_end) {
        mprt_libc_memset(start, 0, bytes);
        return;
    }
    mprt_libc_memset(start, 0, (size_t)(inner - start));
    if (!mprt_os_discard(inner, (size_t)(inner_end - inner)))
        mprt_pages_visit(inner, inner_end, zero_part, NULL);
    mprt_libc_memset(inner_end, 0, (size_t)(end - inner_end));
}

/* Follows the kernel's __vm_enough_memory(); mode '1' allows everything. */
bool mprt_pages_would_map(size_t bytes)
{
    char mode = '0';

    if (bytes <= mprt_os_memory_bytes())
        return true;
    const int fd = mprt_os_open_read("/proc/sys/vm/overcommit_memory");
    if (fd >= 0) {
        mprt_os_read(fd, &mode, 1);
        mprt_os_close(fd);
    }
    return mode == '1';
}
