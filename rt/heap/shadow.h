/* shadow.h -- the counters of blocks, and how accesses are counted that
 * compiled code does not count itself. Any thread, also in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_SHADOW_H
#define MPRT_SHADOW_H

#include "rt/heap/heap.h"
#include "shared/mib.h"

enum mprt_shadow_mode {
    MPRT_SHADOW_NORMAL,    /* one u64 a granule */
    MPRT_SHADOW_HISTOGRAM, /* cells: u8 (LLVM's pass) plus u32 (our pass) */
    MPRT_SHADOW_RW         /* NORMAL's, and others for reads and writes */
};
extern MPRT_HIDDEN enum mprt_shadow_mode mprt_shadow_mode;

/* True where a range's counters are added to as instrumented code does: normal
 * mode, and no code that was compiled with -memprof-atomic. */
extern MPRT_HIDDEN bool mprt_shadow_is_plain;
/* True where all code is compiled to count nothing, and so nothing is counted
 * on its behalf. Then is_plain is false. */
extern MPRT_HIDDEN bool mprt_shadow_is_off;
/* Blocks have ended with their counters not looked at, because of that. */
extern MPRT_HIDDEN bool mprt_shadow_is_stale;

/* Maps the shadow(s) that the program's modules ask for, and sets the ABI's
 * base variables; ends the program without address space. May be called before
 * libc is relocated, and is called by the next one where it was not. */
void mprt_shadow_map(void);
/* Counts in the mode that the program's modules ask for. */
void mprt_shadow_init(void);
/* Compiled code begins, an object file each; it is one that counts nothing. */
void mprt_shadow_begin_object(void);
void mprt_shadow_begin_uncounted(void);
/* From now on code runs that counts reads and writes apart, with their bytes or
 * without. False in histogram mode: then it counts in vain. */
bool mprt_shadow_begin_rw(bool has_bytes);
/* From now on code runs that counts in wide cells. Ends the program without
 * address space. */
void mprt_shadow_begin_wide_cells(void);
/* From now on code runs that spoils the counters of reads and writes: whatever
 * they hold is left out, for good. */
void mprt_shadow_spoil_rw(void);
/* Counts one access at addr, for compiled code that calls the runtime for each:
 * in cells as wide as its own. LLVM's, unless some of the program has wide
 * ones. */
void mprt_shadow_count_callback(uintptr_t addr);
/* Counts one per started 8-byte word of [addr, addr+n), in the widest cells. */
void mprt_shadow_count_range(uintptr_t addr, size_t n);
/* Zero counters for a block: the granules of [p, p+size). */
void mprt_shadow_clear(uintptr_t p, size_t size);
/* Sum of the block's counters; *saturated is set where a cell is at its
 * maximum. */
uint64_t mprt_shadow_sum(uintptr_t p, size_t size, bool *saturated);
/* mprt_shadow_sum() of a block that ends. Normal mode: leaves its counters
 * zero. */
uint64_t mprt_shadow_take(uintptr_t p, size_t size, bool *saturated);
/* Both in RW mode: all accesses, and reads and writes as far as they are known.
 */
uint64_t mprt_shadow_sum_rw(uintptr_t p, size_t size,
                            struct mprof_block_rw *rw);
uint64_t mprt_shadow_take_rw(uintptr_t p, size_t size,
                             struct mprof_block_rw *rw);
/* Counts the words of a range in a block, and its bytes, in RW mode. */
void mprt_shadow_count_rw(uintptr_t addr, size_t n, bool is_write);
/* Histogram cells of a block of this size; no more than a 32-bit number. */
uint32_t mprt_shadow_cell_count(uint64_t size);
/* Calls visit for the mprt_shadow_cell_count() cells of a block, for n of them
 * at a time, of which one at least was accessed: they lie between two multiples
 * of MPRT_SHADOW_CELLS_AT_ONCE. Ascending; all of them perhaps twice, and then
 * the counts add up. */
#define MPRT_SHADOW_CELLS_AT_ONCE 16u
typedef void mprt_shadow_cells_fn(void *to, uint64_t first,
                                  const uint32_t *counts, unsigned n);
void mprt_shadow_visit_cells(uintptr_t p, size_t size,
                             mprt_shadow_cells_fn *visit, void *to);

/* Of a block, where cells are not counted: calls visit for granules that were
 * accessed, one by one, as the MPROF_DETAIL_PLACE of each. */
void mprt_shadow_visit_places(uintptr_t p, size_t size,
                              mprt_shadow_cells_fn *visit, void *to);

/* -- the common case: small blocks ----------------------------------------- */

/* Blocks of so many counters are small. */
#define MPRT_SHADOW_FEW 8

extern uintptr_t __memprof_shadow_memory_dynamic_address;

static inline uint64_t *mprt_shadow_counter_of(uintptr_t addr)
{
    return (uint64_t *)(__memprof_shadow_memory_dynamic_address +
                        mprof_abi_NORMAL_off(addr));
}

/* Counters of the block; size is not 0. */
static inline size_t mprt_shadow_count_of(uintptr_t p, size_t size)
{
    return (p % MPROF_GRANULE_BYTES + size + MPROF_GRANULE_BYTES - 1) /
           MPROF_GRANULE_BYTES;
}

/* Counts a range that is read, or written, where nobody asks for what lies
 * outside the heap: that belongs to no block. Most ranges lie in one granule.
 */
static inline void mprt_shadow_count_block(uintptr_t addr, size_t n,
                                           bool is_write)
{
    const uint64_t room = (MPROF_GRANULE_BYTES - addr % MPROF_GRANULE_BYTES +
                           MPROF_RANGE_WORD_BYTES - 1) /
                          MPROF_RANGE_WORD_BYTES * MPROF_RANGE_WORD_BYTES;

    if (mprt_shadow_is_off || !mprt_heap_contains((const void *)addr))
        return;
    if (MPROF_LIKELY(n <= room && mprt_shadow_is_plain))
        *mprt_shadow_counter_of(addr) +=
            (n + MPROF_RANGE_WORD_BYTES - 1) / MPROF_RANGE_WORD_BYTES;
    else if (mprt_shadow_mode == MPRT_SHADOW_RW)
        mprt_shadow_count_rw(addr, n, is_write);
    else
        mprt_shadow_count_range(addr, n);
}

/* But in histogram mode, counters are zero between blocks: whatever ends a
 * block leaves zeros, because a slot may hold a block of another size next.
 * What a program does to a block after its end is counted for the next one
 * there. */

/* A block of any size begins; size is not 0. */
static inline void mprt_shadow_begin(uintptr_t p, size_t size)
{
    if (MPROF_UNLIKELY(mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM))
        mprt_shadow_clear(p, size);
}

/* A block begins where not all that end leave zeros. */
static inline void mprt_shadow_clear_used(uintptr_t p, size_t size)
{
    if (!mprt_shadow_is_off)
        mprt_shadow_clear(p, size);
}

/* A block ends: true where its counters need no look, since nobody changes
 * them. Where somebody begins to, they are cleared, all together. */
static inline bool mprt_shadow_skips(void)
{
    if (MPROF_LIKELY(!mprt_shadow_is_off))
        return false;
    if (MPROF_UNLIKELY(!mprt_shadow_is_stale))
        mprt_shadow_is_stale = true;
    return true;
}

/* A block ends without being recorded. */
static inline void mprt_shadow_drop(uintptr_t p, size_t size)
{
    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM && !mprt_shadow_skips())
        mprt_shadow_clear(p, size);
}

/* A block ends in normal mode: its count. */
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
    for (size_t i = 0; i < count; i++) {
        total += *(const volatile uint64_t *)&counters[i];
        *(volatile uint64_t *)&counters[i] = 0;
    }
    return total;
}

#endif
