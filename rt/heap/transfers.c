/* transfers.c -- notes which threads access a cache line, for code compiled
 * with -memprof-access=threads.
 *
 * As caches do, a line belongs to one thread, or several threads read it. An
 * access moves it if another thread wrote it last, or if it writes and others
 * have read it. The move is a false one if nobody else accessed the same 8
 * bytes: the last write there is this thread's, and no other thread has read it
 * since. Of a thread's number 7 bits are kept, so threads whose numbers differ
 * by a multiple of 127 are taken for one. Updates are plain, so threads that
 * access a line at the same time may lose some: the counts are lower bounds.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/transfers.h"
#include "rt/heap/shadow_internal.h"
#include "rt/base/pages.h"
#include "rt/base/thread.h"

#define WORD_BYTES 8
/* A line that is handed over moves when it is read and when it is written. */
#define HANDED_MAX 2
#define WORD_OWNER 0x7fu
#define WORD_WAS_READ 0x80u /* by another thread than the owner */
#define OWNERS 127u
#define COUNT_MAX ((1u << 28) - 1)

/* What is kept of a granule, in place of its counters of reads and writes. */
struct line {
    uint8_t words[MPROF_GRANULE_BYTES / WORD_BYTES];
    uint64_t owner : 8; /* 0: nobody has accessed it */
    uint64_t transfers : 28;
    uint64_t false_transfers : 28;
};
_Static_assert(sizeof(struct line) == 2 * sizeof(uint64_t), "two counters");

static struct line *line_of(uintptr_t addr)
{
    return (struct line *)(void *)rw_counters_of(addr);
}

uint8_t mprt_transfers_owner(uint32_t cpu_thread)
{
    return (uint8_t)((cpu_thread >> MPRT_THREAD_SHIFT) % OWNERS + 1);
}

static void note(uintptr_t addr, bool is_write, uint8_t me)
{
    struct line *const line = line_of(addr);
    uint8_t *const word = &line->words[addr % MPROF_GRANULE_BYTES / WORD_BYTES];
    const unsigned owner = *word & WORD_OWNER;
    const bool is_own = owner == me || owner == 0;

    if (line->owner == MPRT_TRANSFERS_NOBODY) {
        line->owner = me;
    } else if (line->owner != me &&
               (is_write || line->owner != MPRT_TRANSFERS_SHARED)) {
        const bool is_false =
            is_own && !(is_write && (*word & WORD_WAS_READ) != 0);

        line->transfers += line->transfers != COUNT_MAX;
        line->false_transfers += is_false && line->false_transfers != COUNT_MAX;
        line->owner = is_write ? me : MPRT_TRANSFERS_SHARED;
    }
    if (is_write)
        *word = me;
    else if (!is_own)
        *word |= WORD_WAS_READ;
}

/* A thread that has not allocated yet has no state. */
static MPRT_NOINLINE const struct mprt_thread *make_thread(void)
{
    const struct mprt_thread *t;

    if (!mprt_thread_enter())
        return NULL;
    t = mprt_thread_current();
    mprt_thread_leave();
    return t;
}

void mprt_transfers_note(uintptr_t addr, size_t n, bool is_write)
{
    const struct mprt_thread *const t = mprt_thread_local.state != NULL
                                            ? mprt_thread_local.state
                                            : make_thread();

    for (uintptr_t at = addr; t != NULL && at < addr + n;
         at = mprof_round_down(at, WORD_BYTES) + WORD_BYTES)
        note(at, is_write, mprt_transfers_owner(t->cpu_thread));
}

static void add_lines(void *context, const char *from, const char *to)
{
    struct mprof_block_rw *const rw = context;
    const struct line *const end = (const struct line *)(const void *)to;

    for (const struct line *line = (const struct line *)(const void *)from;
         line < end; line++) {
        rw->transfers += line->transfers;
        rw->false_transfers += line->false_transfers;
    }
}

void mprt_transfers_sum(uintptr_t p, size_t size, struct mprof_block_rw *rw)
{
    *rw = (struct mprof_block_rw){.has_threads =
                                      mprt_shadow_rw_state != RW_SPOILT};
    if (size == 0)
        return;
    mprt_pages_visit(
        (const char *)line_of(p),
        (const char *)line_of(end_of(p, size, MPROF_GRANULE_BYTES)), add_lines,
        rw);
    if (size <= MPROF_GRANULE_BYTES / 2 && rw->transfers <= HANDED_MAX)
        rw->owner = line_of(p)->owner;
}
