/* interpose_heap.c -- queries and settings: of our heap, and of the allocator
 * behind ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/behind.h"
#include "rt/api/functions.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/state.h"

#include <errno.h>
#include <malloc.h>

/* Calls the function of the allocator behind ours if that serves unsampled
 * blocks, and otherwise returns `other`. */
#define ASK_BEHIND(name, arguments, other)                               \
    (mprt_sample_is_outside && MPRT_REAL(name) != NULL ? MPRT_REAL(name) \
                                                             arguments   \
                                                       : (other))

MPRT_WEAK void malloc_stats(void)
{
    ASK_BEHIND(malloc_stats, (), (void)0);
}

MPRT_WEAK int malloc_trim(size_t pad)
{
    const int of_other = ASK_BEHIND(malloc_trim, (pad), 0);

    mprt_state_require();
    return mprt_heap_trim() || of_other;
}

MPRT_WEAK int mallopt(int parameter, int value)
{
    return ASK_BEHIND(mallopt, (parameter, value), 1);
}

static struct mallinfo2 info_of_both(void)
{
    struct mprt_heap_stats stats;
    struct mallinfo2 info =
        ASK_BEHIND(mallinfo2, (), (struct mallinfo2){.arena = 0});

    mprt_state_require();
    mprt_heap_stats(&stats);
    info.arena += stats.heap_bytes;
    info.uordblks += stats.used_bytes;
    info.fordblks += stats.free_bytes;
    return info;
}

MPRT_WEAK struct mallinfo2 mallinfo2(void)
{
    return info_of_both();
}

/* As glibc writes it, of one heap. */
MPRT_WEAK int malloc_info(int options, FILE *file)
{
    const struct mallinfo2 info = info_of_both();
    char text[256];
    struct mprt_textbuf t = {.out = text, .size = sizeof(text)};

    if (options != 0)
        return EINVAL;
    MPRT_TEXT(&t,
              "<malloc version=\"1\">\n"
              "<total type=\"rest\" count=\"1\" size=\"",
              MPRT_DEC(info.fordblks), "\"/>\n<system type=\"current\" size=\"",
              MPRT_DEC(info.arena), "\"/>\n</malloc>\n");
    MPRT_REAL(fwrite)(text, 1, mprt_libc_strlen(text), file);
    return 0;
}

static int saturate(size_t n)
{
    return n > INT32_MAX ? INT32_MAX : (int)n;
}

MPRT_WEAK struct mallinfo mallinfo(void)
{
    const struct mallinfo2 info = info_of_both();

    return (struct mallinfo){.arena = saturate(info.arena),
                             .ordblks = saturate(info.ordblks),
                             .smblks = saturate(info.smblks),
                             .hblks = saturate(info.hblks),
                             .hblkhd = saturate(info.hblkhd),
                             .fsmblks = saturate(info.fsmblks),
                             .uordblks = saturate(info.uordblks),
                             .fordblks = saturate(info.fordblks),
                             .keepcost = saturate(info.keepcost)};
}
