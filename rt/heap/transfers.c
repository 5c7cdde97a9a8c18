/* transfers.c -- notes which threads access a cache line, for code compiled
 * with -memprof-access=threads.
 *
 * As caches do, a line belongs to one thread, or several threads read it. An
 * access moves it if another thread wrote it last, or if it writes and others
 * have read it. The move is a false one if nobody else accessed the same bytes,
 * by 8: the last write there is this thread's, and no other thread has read it
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
#define OWNER_BITS 8
#define COUNT_BITS 28
#define COUNT_MAX ((UINT64_C(1) << COUNT_BITS) - 1)

/* What is kept of a granule, in place of its counters of reads and writes. */
struct line {
    uint8_t words[MPROF_GRANULE_BYTES / WORD_BYTES];
    /* The owner, moves, and false ones: one number, so that threads that
     * change it at the same time leave what one of them knows. */
    _Atomic uint64_t state;
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

static uint8_t owner_in(uint64_t state)
{
    return (uint8_t)state;
}

static uint64_t transfers_in(uint64_t state)
{
    return state >> OWNER_BITS & COUNT_MAX;
}

static uint64_t false_transfers_in(uint64_t state)
{
    return state >> (OWNER_BITS + COUNT_BITS);
}

static uint64_t state_of(uint8_t owner, uint64_t transfers,
                         uint64_t false_transfers)
{
    return owner | transfers << OWNER_BITS |
           false_transfers << (OWNER_BITS + COUNT_BITS);
}

/* False if another thread has accessed the 8 bytes. */
static bool note_word(uint8_t *word, bool is_write, uint8_t me)
{
    const uint8_t was = *word;
    const unsigned owner = was & WORD_OWNER;
    const bool is_own = owner == me || owner == 0;

    if (is_write)
        *word = me;
    else if (!is_own)
        *word = was | WORD_WAS_READ;
    return is_own && !(is_write && (was & WORD_WAS_READ) != 0);
}

/* Bytes [from, to) of one line. */
static void note(uintptr_t from, uintptr_t to, bool is_write, uint8_t me)
{
    struct line *const line = line_of(from);
    const uint64_t state = MPRT_LOAD(line->state);
    const uint8_t owner = owner_in(state);
    const uint64_t transfers = transfers_in(state);
    bool is_false = true;

    for (uintptr_t at = mprof_round_down(from, WORD_BYTES); at < to;
         at += WORD_BYTES)
        is_false &= note_word(
            &line->words[at % MPROF_GRANULE_BYTES / WORD_BYTES], is_write, me);
    if (owner == MPRT_TRANSFERS_NOBODY)
        MPRT_STORE(line->state, me);
    else if (owner != me && (is_write || owner != MPRT_TRANSFERS_SHARED) &&
             transfers != COUNT_MAX)
        MPRT_STORE(line->state, state_of(is_write ? me : MPRT_TRANSFERS_SHARED,
                                         transfers + 1,
                                         false_transfers_in(state) + is_false));
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

    for (uintptr_t at = addr, next; t != NULL && at < addr + n; at = next) {
        next = mprof_round_down(at, MPROF_GRANULE_BYTES) + MPROF_GRANULE_BYTES;
        note(at, mprof_min_u64(next, addr + n), is_write,
             mprt_transfers_owner(t->cpu_thread));
    }
}

static void add_lines(void *context, const char *from, const char *to)
{
    struct mprof_block_rw *const rw = context;
    const struct line *const end = (const struct line *)(const void *)to;

    for (const struct line *line = (const struct line *)(const void *)from;
         line < end; line++) {
        const uint64_t state = MPRT_LOAD(line->state);

        rw->transfers += transfers_in(state);
        rw->false_transfers += false_transfers_in(state);
    }
}

/* Has another thread than the line's one of its neighbours? */
static bool is_between_others(const struct line *line)
{
    const uint8_t owner = owner_in(MPRT_LOAD(line->state));

    for (int i = -1; i <= 1; i += 2) {
        const uint8_t other = owner_in(MPRT_LOAD(line[i].state));
        if (other != owner && other != MPRT_TRANSFERS_NOBODY &&
            other != MPRT_TRANSFERS_SHARED)
            return true;
    }
    return false;
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
    if (size <= MPROF_GRANULE_BYTES / 2 && rw->transfers <= HANDED_MAX &&
        is_between_others(line_of(p)))
        rw->owner = owner_in(MPRT_LOAD(line_of(p)->state));
}
