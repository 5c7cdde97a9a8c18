/* shadow_sum.c -- sums and clears the counters of a block.
 *
 * Large blocks are cleared by giving pages back, and summed over existing pages
 * only, so that an untouched block costs nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/shadow_internal.h"
#include "rt/base/libc.h"
#include "rt/base/pages.h"
#include "rt/heap/transfers.h"

/* -- clearing -------------------------------------------------------------- */

static void clear_bytes(void *from, void *to)
{
    const size_t bytes = (size_t)((char *)to - (char *)from);

    if (bytes < MPRT_PAGES_SPARSE_BYTES)
        mprt_libc_memset(from, 0, bytes);
    else
        mprt_pages_clear(from, bytes);
}

static void clear_rw(uintptr_t p, size_t size)
{
    const uintptr_t end = end_of(p, size, MPROF_GRANULE_BYTES);

    clear_bytes(rw_counters_of(p), rw_counters_of(end));
    if (mprt_shadow_rw_state == RW_ALL_BYTES)
        clear_bytes(rw_bytes_of(p), rw_bytes_of(end));
}

void mprt_shadow_clear(uintptr_t p, size_t size)
{
    if (size == 0)
        return;
    if (MPROF_UNLIKELY(mprt_shadow_mode == MPRT_SHADOW_RW))
        clear_rw(p, size);
    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM) {
        uint64_t *counter = mprt_shadow_counter_of(p);
        uint64_t *const end =
            mprt_shadow_counter_of(end_of(p, size, MPROF_GRANULE_BYTES));
        if (MPROF_LIKELY(end - counter <= 8)) {
            for (; counter != end; counter++)
                *(volatile uint64_t *)counter = 0;
            return;
        }
        clear_bytes(counter, end);
        return;
    }
    const uintptr_t end = end_of(p, size, MPROF_CELL_BYTES);
    clear_bytes(cell_of(p), cell_of(end));
    clear_bytes(wide_cell_of(p), wide_end_of(p, size));
}

/* -- summing --------------------------------------------------------------- */

#define CHUNK_COUNTERS 8
#define LINES_AT_ONCE 4 /* cache lines of 64 bytes: two loads per cycle */

/* Sums of counters: of those at even and at odd indices. */
struct sum {
    counter_pair total;
    bool is_saturated;
};

static uint64_t total_of(const struct sum *sum)
{
    return sum->total[0] + sum->total[1];
}

static void add_counters(void *context, const char *from, const char *to)
{
    struct sum *const sum = context;
    const uint64_t *c = (const uint64_t *)(const void *)from;
    const uint64_t *const end = (const uint64_t *)(const void *)to;
    counter_pair total = sum->total;

    for (; end - c >= CHUNK_COUNTERS; c += CHUNK_COUNTERS) {
        const counter_pair *const v = (const counter_pair *)(const void *)c;
        total += (v[0] + v[1]) + (v[2] + v[3]);
    }
    for (; end - c >= 2; c += 2)
        total += *(const counter_pair *)(const void *)c;
    if (c != end)
        total[0] += *c;
    sum->total = total;
}

static void add_cells(void *context, const char *from, const char *to)
{
    struct sum *const sum = context;
    const uint8_t *const end = (const uint8_t *)to;

    for (const uint8_t *c = (const uint8_t *)from; c != end; c++) {
        sum->total[0] += *c;
        sum->is_saturated |= *c == MPROF_CELL_MAX;
    }
}

static void add_wide_cells(void *context, const char *from, const char *to)
{
    struct sum *const sum = context;
    const uint32_t *const cells = (const uint32_t *)(const void *)from;
    const size_t count = (size_t)(to - from) / sizeof(*cells);

    for (size_t i = 0; i < count; i++) {
        sum->total[0] += cells[i];
        sum->is_saturated |= cells[i] == MPROF_WIDE_CELL_MAX;
    }
}

/* Sums up reads and writes. Each second counter counts accesses that began
 * before. */
static void add_fields(void *context, const char *from, const char *to)
{
    struct sum *const sum = context;
    const uint32_t *const cells = (const uint32_t *)(const void *)from;
    const size_t count = (size_t)(to - from) / sizeof(*cells);

    for (size_t i = 0; i < count; i++) {
        if (i % 2 == 0)
            sum->total[i / 2 % 2] += cells[i];
        sum->is_saturated |= cells[i] == MPROF_WIDE_CELL_MAX;
    }
}

/* Sums up a block's cells of 8 bits, and its wide ones or counters of members.
 */
static void sum_cells(uintptr_t p, size_t size, struct sum *narrow,
                      struct sum *wide)
{
    const uintptr_t end = end_of(p, size, MPROF_CELL_BYTES);

    mprt_pages_visit((const char *)cell_of(p), (const char *)cell_of(end),
                     add_cells, narrow);
    mprt_pages_visit((const char *)wide_cell_of(p), wide_end_of(p, size),
                     mprt_shadow_has_fields ? add_fields : add_wide_cells,
                     wide);
}

uint64_t mprt_shadow_sum(uintptr_t p, size_t size, bool *saturated)
{
    struct sum sum = {{0, 0}, false};

    *saturated = false;
    if (size == 0)
        return 0;
    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM) {
        const uint64_t *counter = mprt_shadow_counter_of(p);
        const uint64_t *const end =
            mprt_shadow_counter_of(end_of(p, size, MPROF_GRANULE_BYTES));
        if (MPROF_UNLIKELY(end - counter > 8)) {
            mprt_pages_visit((const char *)counter, (const char *)end,
                             add_counters, &sum);
            return total_of(&sum);
        }
        for (; counter != end; counter++)
            sum.total[0] += *counter;
        return sum.total[0];
    }
    sum_cells(p, size, &sum, &sum);
    *saturated = sum.is_saturated;
    return total_of(&sum);
}

static inline counter_pair any_of_line(const counter_pair *v)
{
    return (v[0] | v[1]) | (v[2] | v[3]);
}

/* Sums one cache line of counters and zeroes it. */
static inline counter_pair take_line(counter_pair *v)
{
    const counter_pair total = (v[0] + v[1]) + (v[2] + v[3]);

    v[0] = v[1] = v[2] = v[3] = (counter_pair){0, 0};
    return total;
}

#define COUNTERS_AT_ONCE (LINES_AT_ONCE * CHUNK_COUNTERS)

/* Skips zero counters in steps of COUNTERS_AT_ONCE. Returns the first step with
 * a non-zero counter, or the rest that is shorter than a step. */
static uint64_t *skip_zeros(uint64_t *c, const uint64_t *end)
{
    for (; end - c >= COUNTERS_AT_ONCE; c += COUNTERS_AT_ONCE) {
        const counter_pair *const v = (const counter_pair *)(void *)c;
        const counter_pair any = (any_of_line(v) | any_of_line(v + 4)) |
                                 (any_of_line(v + 8) | any_of_line(v + 12));
        if ((any[0] | any[1]) != 0)
            break;
    }
    return c;
}

typedef uint64_t counter_quad
    __attribute__((vector_size(32), aligned(8), may_alias));

/* skip_zeros() with AVX2: twice as fast. */
__attribute__((target("avx2"))) static uint64_t *
skip_zeros_avx2(uint64_t *c, const uint64_t *end)
{
    for (; end - c >= COUNTERS_AT_ONCE; c += COUNTERS_AT_ONCE) {
        const counter_quad *const v = (const counter_quad *)(void *)c;
        const counter_quad any =
            ((v[0] | v[1]) | (v[2] | v[3])) | ((v[4] | v[5]) | (v[6] | v[7]));
        if (((any[0] | any[1]) | (any[2] | any[3])) != 0)
            break;
    }
    return c;
}

/* Sums counters and zeroes them, but writes only near non-zero ones: counters
 * of untouched memory stay shared zero pages or clean cache lines. */
static void take_counters(void *context, const char *from, const char *to)
{
    struct sum *const sum = context;
    uint64_t *c = (uint64_t *)(uintptr_t)from;
    uint64_t *const end = (uint64_t *)(uintptr_t)to;
    counter_pair total = sum->total;

    for (;;) {
        c = mprt_shadow_has_avx2 ? skip_zeros_avx2(c, end) : skip_zeros(c, end);
        if (end - c < COUNTERS_AT_ONCE)
            break;
        for (size_t i = 0; i < LINES_AT_ONCE; i++, c += CHUNK_COUNTERS)
            total += take_line((counter_pair *)(void *)c);
    }
    for (; end - c >= 2; c += 2) {
        counter_pair *const v = (counter_pair *)(void *)c;
        total += *v;
        *v = (counter_pair){0, 0};
    }
    if (c != end) {
        total[0] += *c;
        *c = 0;
    }
    sum->total = total;
}

/* Sums any number of counters and zeroes them. */
static void take_all(struct sum *sum, uint64_t *counters, uint64_t *end)
{
    if ((size_t)((char *)end - (char *)counters) < MPRT_PAGES_SPARSE_BYTES) {
        take_counters(sum, (const char *)counters, (const char *)end);
        return;
    }
    mprt_pages_visit((const char *)counters, (const char *)end, add_counters,
                     sum);
    if ((sum->total[0] | sum->total[1]) != 0)
        clear_bytes(counters, end);
}

uint64_t mprt_shadow_take(uintptr_t p, size_t size, bool *saturated)
{
    struct sum sum = {{0, 0}, false};

    if (mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM)
        return mprt_shadow_sum(p, size, saturated);
    *saturated = false;
    if (size == 0)
        return 0;
    take_all(&sum, mprt_shadow_counter_of(p),
             mprt_shadow_counter_of(end_of(p, size, MPROF_GRANULE_BYTES)));
    return total_of(&sum);
}

/* -- separate reads and writes --------------------------------------------- */

/* An access is counted in one place. If `others` is not 0, some code that
 * accessed the block does not separate reads and writes, so the counts are not
 * complete. */
static uint64_t fill_rw(struct mprof_block_rw *rw, uint64_t others,
                        counter_pair counts, counter_pair bytes)
{
    *rw = (struct mprof_block_rw){
        .reads = counts[0],
        .writes = counts[1],
        .read_bytes = bytes[0],
        .write_bytes = bytes[1],
        .is_measured = others == 0 && mprt_shadow_rw_state != RW_SPOILT,
        .has_bytes = mprt_shadow_rw_state == RW_ALL_BYTES};
    return others + counts[0] + counts[1];
}

/* The narrow cells hold what code counted that does not tell reads from writes.
 */
static uint64_t sum_fields(uintptr_t p, size_t size, bool *saturated,
                           struct mprof_block_rw *rw)
{
    struct sum narrow = {{0, 0}, false};
    struct sum counts = {{0, 0}, false};

    if (size != 0)
        sum_cells(p, size, &narrow, &counts);
    *saturated = narrow.is_saturated || counts.is_saturated;
    return fill_rw(rw, total_of(&narrow), counts.total, (counter_pair){0, 0});
}

uint64_t mprt_shadow_sum_rw(uintptr_t p, size_t size, bool *saturated,
                            struct mprof_block_rw *rw)
{
    const uintptr_t end = end_of(p, size, MPROF_GRANULE_BYTES);
    struct sum counts = {{0, 0}, false};
    struct sum bytes = {{0, 0}, false};

    if (mprt_shadow_has_fields)
        return sum_fields(p, size, saturated, rw);
    if (mprt_shadow_has_threads) {
        mprt_transfers_sum(p, size, rw);
        return mprt_shadow_sum(p, size, saturated);
    }
    const uint64_t others = mprt_shadow_sum(p, size, saturated);
    mprt_pages_visit((const char *)rw_counters_of(p),
                     (const char *)rw_counters_of(end), add_counters, &counts);
    if (mprt_shadow_rw_state == RW_ALL_BYTES)
        mprt_pages_visit((const char *)rw_bytes_of(p),
                         (const char *)rw_bytes_of(end), add_counters, &bytes);
    return fill_rw(rw, others, counts.total, bytes.total);
}

/* Sums the pairs of counters of a small block and zeroes them. */
static inline counter_pair take_few(uint64_t *counters, size_t pairs)
{
    counter_pair *const v = (counter_pair *)(void *)counters;
    counter_pair total = {0, 0};

    for (size_t i = 0; i < pairs; i++) {
        total += v[i];
        v[i] = (counter_pair){0, 0};
    }
    return total;
}

uint64_t mprt_shadow_take_rw(uintptr_t p, size_t size, bool *saturated,
                             struct mprof_block_rw *rw)
{
    struct sum counts = {{0, 0}, false};
    struct sum bytes = {{0, 0}, false};
    const bool has_bytes = mprt_shadow_rw_state == RW_ALL_BYTES;

    if (mprt_shadow_has_fields)
        return sum_fields(p, size, saturated, rw);
    *saturated = false;
    if (mprt_shadow_has_threads) {
        mprt_transfers_sum(p, size, rw);
        clear_rw(p, size);
        return mprt_shadow_end(p, size);
    }
    const size_t granules = mprt_shadow_count_of(p, size);
    const uint64_t others = mprt_shadow_end(p, size);

    if (MPROF_LIKELY(granules <= MPRT_SHADOW_FEW)) {
        counts.total = take_few(rw_counters_of(p), granules);
        if (has_bytes)
            bytes.total = take_few(rw_bytes_of(p), granules);
        return fill_rw(rw, others, counts.total, bytes.total);
    }
    take_all(&counts, rw_counters_of(p), rw_counters_of(p) + 2 * granules);
    if (has_bytes)
        take_all(&bytes, rw_bytes_of(p), rw_bytes_of(p) + 2 * granules);
    return fill_rw(rw, others, counts.total, bytes.total);
}
