/* shadow.h -- access counters of blocks, and functions that count accesses for
 * code that does not count itself. Any thread, also in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/heap/bursts.h"
#include "rt/heap/heap.h"
#include "shared/mib.h"

enum mprt_shadow_mode {
    MPRT_SHADOW_NORMAL,    /* one u64 counter per granule */
    MPRT_SHADOW_HISTOGRAM, /* cells of u8 (LLVM's pass) and of u32 (our pass),
                              or mprt_shadow_has_fields */
    MPRT_SHADOW_RW         /* as NORMAL, plus counters of reads and of writes */
};
extern MPRT_HIDDEN enum mprt_shadow_mode mprt_shadow_mode;

/* In histogram mode: MPROF_FIELDS_COUNTERS for each 4 bytes instead of cells of
 * 8 bytes. */
extern MPRT_HIDDEN bool mprt_shadow_has_fields;
/* In RW mode: which threads access blocks (transfers.h), not reads and writes.
 */
extern MPRT_HIDDEN bool mprt_shadow_has_threads;
/* Whether something is known of a block's reads and writes. */
static inline bool mprt_shadow_has_rw(void)
{
    return mprt_shadow_mode == MPRT_SHADOW_RW || mprt_shadow_has_fields;
}

/* True if counters are changed by plain additions: in normal mode, unless code
 * was compiled with -memprof-atomic. */
extern MPRT_HIDDEN bool mprt_shadow_is_plain;
/* True while all compiled code counts nothing; then the runtime counts nothing
 * for it either. is_plain is false then. */
extern MPRT_HIDDEN bool mprt_shadow_is_off;
/* Some code leaves accesses out by its compiler's options, so no block's are
 * all counted. */
extern MPRT_HIDDEN _Atomic bool mprt_shadow_is_partial;
/* Blocks have ended without a look at their counters because mprt_shadow_is_off
 * was set. */
extern MPRT_HIDDEN bool mprt_shadow_is_stale;

/* Maps the counters that the program's modules need and sets the ABI's base
 * variables. Without address space the shadow's stays 0. May run before libc is
 * relocated; otherwise, and if it failed, mprt_shadow_init() calls it. */
void mprt_shadow_map(void);
/* Starts counting in the mode that the program's modules need. Ends the program
 * without address space. */
void mprt_shadow_init(void);
/* A module's compiled code starts, one call for each object file. One of
 * the others is called as well, unless LLVM's pass compiled the object file: it
 * counts, always or in one of two versions of its code, or counts nothing. */
void mprt_shadow_begin_object(void);
void mprt_shadow_begin_counted(bool has_versions);
void mprt_shadow_begin_uncounted(void);
/* Accesses count from now on, or no longer: mprt_bursts_count_nothing has
 * changed. */
void mprt_shadow_update(void);
/* Zeroes the counters of the whole heap. */
void mprt_shadow_clear_heap(void);
/* Zeroes the counters of a span without blocks; they take no memory then. */
void mprt_shadow_clear_span(uintptr_t start, size_t bytes);
/* Code starts that counts reads and writes separately, with or without their
 * bytes. False in histogram mode, where these counts are lost. */
bool mprt_shadow_begin_rw(bool has_bytes);
/* Code starts that notes threads. */
void mprt_shadow_begin_threads(void);
/* Code starts that counts in wide cells, or by 4 bytes. Ends the program
 * without address space. */
void mprt_shadow_begin_wide_cells(void);
/* Code starts that makes the counters of reads and writes unusable. They are
 * ignored from now on. */
void mprt_shadow_spoil_rw(void);
/* Gives back the memory of counters that belong to no block of the heap. */
void mprt_shadow_discard_others(void);
/* Counts one access at addr, for compiled code that calls the runtime for each
 * access. Uses the cells of LLVM's pass unless the program has wide cells. */
void mprt_shadow_count_callback(uintptr_t addr);
/* Counts one access for each started 8-byte word of [addr, addr + n), in the
 * widest cells. is_write counts with mprt_shadow_has_fields only. */
void mprt_shadow_count_range(uintptr_t addr, size_t n, bool is_write);
/* The same for callers that do not tell reads from writes. */
void mprt_shadow_count_range_callback(uintptr_t addr, size_t n);
/* Zeroes the counters of the granules of [p, p + size). */
void mprt_shadow_clear(uintptr_t p, size_t size);
/* Sum of the block's counters. *saturated: a cell is at its maximum. */
uint64_t mprt_shadow_sum(uintptr_t p, size_t size, bool *saturated);
/* mprt_shadow_sum() of a block that ends. In normal mode it also zeroes the
 * counters. */
uint64_t mprt_shadow_take(uintptr_t p, size_t size, bool *saturated);
/* The same two if mprt_shadow_has_rw(): return all accesses and store reads and
 * writes as far as they are known. */
uint64_t mprt_shadow_sum_rw(uintptr_t p, size_t size, bool *saturated,
                            struct mprof_block_rw *rw);
uint64_t mprt_shadow_take_rw(uintptr_t p, size_t size, bool *saturated,
                             struct mprof_block_rw *rw);
/* Counts one access to n bytes at addr of code that notes threads. */
void mprt_shadow_count_thread(uintptr_t addr, size_t n, bool is_write);
/* Counts the words and the bytes of a range in a block, in RW mode. */
void mprt_shadow_count_rw(uintptr_t addr, size_t n, bool is_write);
/* Number of histogram cells of a block of this size, at most UINT32_MAX. With
 * mprt_shadow_has_fields, MPROF_FIELDS_COUNTERS for each 4 bytes: reads that
 * begin there, reads that begin before and go on there, and so for writes. */
uint32_t mprt_shadow_cell_count(uint64_t size);
/* Calls visit for those of the block's mprt_shadow_cell_count() cells that were
 * accessed. A call has n cells of one aligned group of
 * MPRT_SHADOW_CELLS_AT_ONCE, of which at least one was accessed. Ascending,
 * once for each width of cells; the counts of both add up. */
#define MPRT_SHADOW_CELLS_AT_ONCE 16u
typedef void mprt_shadow_cells_fn(void *to, uint64_t first,
                                  const uint32_t *counts, unsigned n);
void mprt_shadow_visit_cells(uintptr_t p, size_t size,
                             mprt_shadow_cells_fn *visit, void *to);

/* Outside of histogram mode: calls visit for each accessed granule of the
 * block, with its MPROF_DETAIL_PLACE as the cell. */
void mprt_shadow_visit_places(uintptr_t p, size_t size,
                              mprt_shadow_cells_fn *visit, void *to);

/* -- fast path for small blocks -------------------------------------------- */

/* Blocks with at most this many counters are small. */
#define MPRT_SHADOW_FEW 8

extern uintptr_t __memprof_shadow_memory_dynamic_address;

static inline uint64_t *mprt_shadow_counter_of(uintptr_t addr)
{
    return (uint64_t *)(__memprof_shadow_memory_dynamic_address +
                        mprof_abi_NORMAL_off(addr));
}

/* Number of counters of the block; size is not 0. */
static inline size_t mprt_shadow_count_of(uintptr_t p, size_t size)
{
    return (p % MPROF_GRANULE_BYTES + size + MPROF_GRANULE_BYTES - 1) /
           MPROF_GRANULE_BYTES;
}

/* Counts the read or the write of a range, but only in the heap: other memory
 * belongs to no block. Most ranges lie in one granule. */
static inline void mprt_shadow_count_block(uintptr_t addr, size_t n,
                                           bool is_write)
{
    const uint64_t room = (MPROF_GRANULE_BYTES - addr % MPROF_GRANULE_BYTES +
                           MPROF_RANGE_WORD_BYTES - 1) /
                          MPROF_RANGE_WORD_BYTES * MPROF_RANGE_WORD_BYTES;

    if (mprt_shadow_is_off || !mprt_heap_contains((const void *)addr) ||
        mprt_bursts_skip())
        return;
    if (MPROF_LIKELY(n <= room && mprt_shadow_is_plain))
        *mprt_shadow_counter_of(addr) +=
            (n + MPROF_RANGE_WORD_BYTES - 1) / MPROF_RANGE_WORD_BYTES;
    else if (mprt_shadow_mode == MPRT_SHADOW_RW)
        mprt_shadow_count_rw(addr, n, is_write);
    else
        mprt_shadow_count_range(addr, n, is_write);
}

/* Except in histogram mode, counters are zero while no block uses them: the end
 * of a block zeroes its counters, because the slot may hold a block of another
 * size next. Accesses to a block after its end are counted for the next block
 * there. */

/* Prepares the counters of a new block; size is not 0. */
static inline void mprt_shadow_begin(uintptr_t p, size_t size)
{
    if (MPROF_UNLIKELY(mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM))
        mprt_shadow_clear(p, size);
}

/* Whether the end of a block needs no look at its counters because nobody
 * counts. mprt_shadow_is_stale has all of them cleared when somebody begins to
 * count. */
static inline bool mprt_shadow_skips(void)
{
    if (MPROF_LIKELY(!mprt_shadow_is_off))
        return false;
    if (MPROF_UNLIKELY(!mprt_shadow_is_stale))
        mprt_shadow_is_stale = true;
    return true;
}

/* Resets the counters of a block that ends without being recorded. */
static inline void mprt_shadow_drop(uintptr_t p, size_t size)
{
    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM && !mprt_shadow_skips())
        mprt_shadow_clear(p, size);
}

/* Count of accesses of a block that ends, in normal mode. Zeroes the counters.
 */
static inline uint64_t mprt_shadow_end(uintptr_t p, size_t size)
{
    uint64_t *const counters = mprt_shadow_counter_of(p);
    const size_t count = mprt_shadow_count_of(p, size);
    uint64_t total = 0;
    bool is_saturated;

    if (mprt_shadow_skips())
        return 0;
    if (MPROF_UNLIKELY(count > MPRT_SHADOW_FEW))
        return mprt_shadow_take(p, size, &is_saturated);
    size_t i = 0;
    do {
        total += *(const volatile uint64_t *)&counters[i];
        *(volatile uint64_t *)&counters[i] = 0;
    } while (++i < count);
    return total;
}
