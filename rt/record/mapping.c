/* mapping.c -- memory that the program maps.
 *
 * A table holds the mappings in descending order of their addresses, because
 * the kernel gives lower and lower ones: a new row mostly comes last. A
 * mapping's context is its call stack with the name of a pool. When a mapping
 * ends, or a part of it, it is added to its MIB like a block of a pool.
 *
 * The peak is recorded when it is over, as that of the heap (live.h), but under
 * the lock, so it is exact.
 *
 * What the kernel maps for others is not here: calls inside libc (files of
 * dlopen()), and system calls without libc. libc unmaps stacks of ended threads
 * inside, too: that shows when the addresses are used again, or at a dump.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/mapping.h"
#include "rt/base/clock.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/memory.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/state.h"
#include "rt/base/thread.h"
#include "rt/record/live.h"
#include "rt/record/series.h"
#include "rt/stack/depot.h"
#include "rt/stack/names.h"
#include "rt/stack/stack_cache.h"

#include <sys/mman.h>

/* The kernel's default limit is 65,530 mappings. */
#define ROWS_MAX (UINT32_C(1) << 20)
/* How long a dying program waits for the table. */
#define PATIENCE_NS UINT64_C(200000000)

struct row {
    uintptr_t p;
    uint64_t size;
    uint64_t birth_ns;
    uint32_t context;
    enum mprt_mapping_kind kind;
};

struct mprt_lock mprt_mapping_table_lock; /* protects everything below */
static struct row *rows;                  /* NULL: mappings are not recorded */
static uint32_t count;
static uint64_t counted; /* bytes of the kinds that the peak counts */
static struct mprt_live_peak peak;
/* A thread moves rows: a forked child cannot use them. */
static bool is_moving;

void mprt_mapping_init(void)
{
    if (mprt_options.mappings)
        rows = mprt_memory_reserve(ROWS_MAX * sizeof(*rows));
}

/* Inside the guard. Signals of faults stay unblocked, so that a crash still
 * writes its dump. */
static uint64_t lock_table(void)
{
    const uint64_t signals = mprt_os_block_other_signals();

    mprt_lock_acquire(&mprt_mapping_table_lock);
    return signals;
}

bool mprt_mapping_lock(uint64_t *signals)
{
    if (rows == NULL || !mprt_thread_enter())
        return false;
    *signals = lock_table();
    return true;
}

void mprt_mapping_unlock(uint64_t signals)
{
    mprt_lock_release(&mprt_mapping_table_lock);
    mprt_thread_leave();
    mprt_os_restore_signals(signals);
}

/* -- the table ------------------------------------------------------------- */

/* Number of rows that begin at `end` or above. */
static uint32_t rows_from(uintptr_t end)
{
    uint32_t low = 0;
    uint32_t high = count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (rows[middle].p >= end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void move_rows(uint32_t to, uint32_t from)
{
    is_moving = true;
    atomic_signal_fence(memory_order_seq_cst);
    mprt_libc_memmove(&rows[to], &rows[from], (count - from) * sizeof(*rows));
    count += to - from;
    atomic_signal_fence(memory_order_seq_cst);
    is_moving = false;
}

static bool insert(uint32_t at, const struct row *row)
{
    if (count == ROWS_MAX) {
        MPRT_LOG_ONCE("too many mappings: further ones are not recorded");
        return false;
    }
    move_rows(at + 1, at);
    rows[at] = *row;
    return true;
}

/* -- the peak -------------------------------------------------------------- */

/* Not: what a forked child has of its parent. */
static bool is_counted(const struct row *row)
{
    return row->context >= mprt_depot_first_id &&
           (row->kind == MPRT_MAPPING_MEMORY ||
            row->kind == MPRT_MAPPING_SHARED ||
            row->kind == MPRT_MAPPING_BREAK);
}

static void count_bytes(const struct row *row, uint64_t more)
{
    if (!is_counted(row))
        return;
    counted += more;
    mprt_series_set_mapped(counted);
}

static void note_peak(uint64_t now_ns)
{
    if (counted <= peak.bytes)
        return;
    peak.bytes = counted;
    peak.ns = mprof_max_u64(now_ns, peak.ns + 1);
    peak.number++;
}

static struct mprof_block_life life_of(const struct row *row, uint64_t size,
                                       uint64_t now_ns)
{
    return (struct mprof_block_life){
        .size = size,
        .alloc_ns = row->birth_ns,
        .dealloc_ns = now_ns,
        .peak = is_counted(row) && row->birth_ns <= peak.ns ? peak.number : 0};
}

static void add_life(const struct row *row, uint64_t size, uint64_t now_ns)
{
    note_peak(now_ns);
    const struct mprof_block_life life = life_of(row, size, now_ns);
    count_bytes(row, -size);
    mprt_mibmap_add(row->context, &life, 0, NULL, NULL, 0);
}

void mprt_mapping_end(uintptr_t p, uint64_t size)
{
    const uintptr_t end = p + size;
    const uint64_t now_ns = mprt_clock_now_ns();
    uint32_t first = rows_from(end);
    uint32_t last = first; /* rows before it end as a whole */

    while (size != 0 && last < count && rows[last].p + rows[last].size > p) {
        const struct row row = rows[last];
        const uintptr_t row_end = row.p + row.size;
        const uintptr_t from = row.p > p ? row.p : p;
        /* Without room for what is left above, that ends, too. */
        const uintptr_t to = row_end < end || count == ROWS_MAX ? row_end : end;
        struct row above = row;

        add_life(&row, to - from, now_ns);
        above.p = to;
        above.size = row_end - to;
        if (above.size != 0 && insert(first, &above)) { /* of the first row */
            first++;
            last++;
        }
        rows[last].size = from - row.p;
        if (rows[last].size != 0)
            break; /* lower rows end before p */
        last++;
    }
    if (last != first)
        move_rows(first, last);
}

enum mprt_mapping_kind mprt_mapping_kind_at(uintptr_t p)
{
    const uint32_t at = rows_from(p + 1);

    return at < count && rows[at].p + rows[at].size > p ? rows[at].kind
                                                        : MPRT_MAPPING_NONE;
}

bool mprt_mapping_visit(uintptr_t start, uintptr_t end, uint64_t patience_ns,
                        void (*visit)(uintptr_t from, uintptr_t to,
                                      enum mprt_mapping_kind kind))
{
    if (!mprt_lock_try(&mprt_mapping_table_lock, patience_ns))
        return false;
    for (uint32_t i = rows_from(end);
         i < count && rows[i].p + rows[i].size > start; i++)
        visit(mprof_max_u64(start, rows[i].p),
              mprof_min_u64(end, rows[i].p + rows[i].size), rows[i].kind);
    mprt_lock_release(&mprt_mapping_table_lock);
    return true;
}

/* -- new mappings ---------------------------------------------------------- */

enum mprt_mapping_kind mprt_mapping_kind_of(int prot, int flags)
{
    if (prot == PROT_NONE)
        return MPRT_MAPPING_RESERVED;
    if ((flags & MAP_ANONYMOUS) == 0)
        return MPRT_MAPPING_FILES;
    return (flags & MAP_TYPE) == MAP_PRIVATE ? MPRT_MAPPING_MEMORY
                                             : MPRT_MAPPING_SHARED;
}

/* Many small steps of the break from one call stack are one row. */
static bool is_next_step(uint32_t at, const struct row *row)
{
    return row->kind == MPRT_MAPPING_BREAK && at < count &&
           rows[at].kind == row->kind && rows[at].context == row->context &&
           rows[at].p + rows[at].size == row->p && rows[at].birth_ns > peak.ns;
}

static const char *const names[] = {
#define X(name, text) [MPRT_MAPPING_##name] = (text),
    MPRT_MAPPING_KINDS(X)
#undef X
};

bool mprt_mapping_is_name(const char *name)
{
    for (size_t kind = MPRT_MAPPING_NONE + 1; kind < MPROF_ARRAY_LEN(names);
         kind++) {
        if (mprt_libc_strcmp(name, names[kind]) == 0)
            return true;
    }
    return false;
}

void mprt_mapping_add(uintptr_t p, uint64_t size, enum mprt_mapping_kind kind,
                      struct mprt_caller caller)
{
    struct row row = {.p = p, .size = size, .kind = kind};

    if (rows == NULL || !mprt_state_is_recording())
        return;
    const uint32_t name = mprt_names_of_event(MPROF_TAG_POOL, names[kind]);
    struct mprt_thread *const t = mprt_thread_current();
    if (!mprt_thread_enter())
        return;
    /* Without frames of scripts: mremap() may have moved what a virtual machine
     * needs to tell them. */
    row.context = mprt_depot_named(mprt_stack_cache_context(t, caller), name);
    const uint64_t now_ns = mprt_clock_now_in(t);
    const uint64_t signals = lock_table();
    /* Of a mapping that ended without our knowledge. */
    mprt_mapping_end(p, size);
    row.birth_ns = mprof_max_u64(now_ns, peak.ns + 1);
    const uint32_t at = rows_from(p);
    if (is_next_step(at, &row)) {
        rows[at].size += size;
        count_bytes(&row, size);
    } else if (row.context != 0 && insert(at, &row)) {
        count_bytes(&row, size);
    }
    mprt_lock_release(&mprt_mapping_table_lock);
    if (t != NULL)
        mprt_live_sample(t);
    mprt_thread_leave();
    mprt_os_restore_signals(signals);
}

/* -- all mappings ---------------------------------------------------------- */

/* libc unmaps stacks without our knowledge. */
static bool is_mapped(const struct row *row)
{
    const size_t page = mprt_os_page_bytes();
    unsigned char is_resident;

    return row->kind != MPRT_MAPPING_STACKS ||
           mprt_os_are_resident(row->p + row->size - page, page, &is_resident);
}

/* A dying program waits only a while for the holder, perhaps this thread before
 * a signal. */
uint32_t mprt_mapping_add_live(const struct mprt_mibmap_taken *taken)
{
    if (rows == NULL ||
        !mprt_lock_try_while_bounded(&mprt_mapping_table_lock, PATIENCE_NS))
        return peak.number;
    const uint64_t now_ns = mprt_clock_now_ns();
    note_peak(now_ns);
    const uint32_t number = peak.number;
    for (uint32_t i = 0; i < count; i++) {
        struct mprof_block_life life = life_of(&rows[i], rows[i].size, now_ns);

        life.is_live = is_mapped(&rows[i]);
        mprt_mibmap_add_live(taken, rows[i].context, 0, &life, NULL, 0);
    }
    mprt_lock_release(&mprt_mapping_table_lock);
    return number;
}

void mprt_mapping_restart_peak(void)
{
    if (rows == NULL ||
        !mprt_lock_try_while_bounded(&mprt_mapping_table_lock, PATIENCE_NS))
        return;
    peak.bytes = 0;
    mprt_lock_release(&mprt_mapping_table_lock);
}

void mprt_mapping_restart_all(void)
{
    const uint64_t now_ns = mprt_clock_now_ns();
    const uint64_t signals = lock_table();

    for (uint32_t i = 0; i < count; i++)
        rows[i].birth_ns = mprof_max_u64(now_ns, peak.ns + 1);
    peak.bytes = 0;
    mprt_lock_release(&mprt_mapping_table_lock);
    mprt_os_restore_signals(signals);
}

/* A child's mappings are its parent's, whose contexts it does not record. */
void mprt_mapping_in_child(void)
{
    count = is_moving ? 0 : count;
    is_moving = false;
    counted = peak.bytes = 0;
    mprt_series_set_mapped(0);
}
