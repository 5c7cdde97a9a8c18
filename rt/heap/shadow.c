/* shadow.c -- the counters: a mapping in which every address of the program has
 * its counter at a place that instrumented code computes (shared/abi.h).
 *
 * The whole user address space is covered by one mapping without reservation,
 * so a counted access never faults; only touched pages take memory. Large
 * blocks are cleared by giving pages back and summed over the pages that the
 * kernel says exist, so that an untouched block costs nothing.
 *
 * Wide cells and the counters of reads and writes have a mapping of their own,
 * which is there once some code asks for it: by a constant that the program
 * holds, or when a module's constructor runs. It takes up to half of the
 * address space, and so wide cells share it with the others: objects compiled
 * for another mode may be linked in, and then their counts are lost, but
 * nothing crashes. Code says when it starts that it counts reads and writes
 * apart. Until then these counters are zero in all blocks, and their mode may
 * begin at any time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/shadow.h"
#include "rt/base/libc.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/base/pages.h"
#include "shared/detail.h"

#include <cpuid.h>
#include <sys/mman.h>

#define ADDRESS_BITS 47 /* of user space on x86-64 */
#define SHADOW_BYTES ((size_t)1 << (ADDRESS_BITS - MPROF_SHADOW_SCALE))
#define WIDE_BYTES ((size_t)1 << (ADDRESS_BITS - MPROF_WIDE_SHADOW_SCALE))
#define RW_BYTES ((size_t)1 << (ADDRESS_BITS - MPROF_COUNTER_READS_SHIFT))
_Static_assert(2 * RW_BYTES == WIDE_BYTES, "accesses, then bytes");
/* Where position independent programs begin. */
#define WIDE_END ((uintptr_t)0x550000000000)

/* Registers that the system keeps for threads: of 16 and of 32 bytes. */
#define XCR0_VECTORS 6u

enum mprt_shadow_mode mprt_shadow_mode;
bool mprt_shadow_is_plain = true;
bool mprt_shadow_is_off;
bool mprt_shadow_is_stale;
static _Atomic uint32_t objects;
static _Atomic uint32_t uncounted_objects;
static bool is_wide; /* has_avx2() */
static _Atomic bool callbacks_are_wide;
/* Of the code that counts reads and writes apart. */
static enum { RW_NONE, RW_ALL_BYTES, RW_NOT_ALL_BYTES, RW_SPOILT } rw_state;

/* The ABI's bases, read by instrumented code. */
MPRT_INTERFACE uintptr_t __memprof_shadow_memory_dynamic_address;
MPRT_INTERFACE uintptr_t __memprof_histogram_wide_shadow_v1;
MPRT_INTERFACE uintptr_t __memprof_rw_shadow_v1;
MPRT_INTERFACE uintptr_t __memprof_rw_bytes_shadow_v1;

/* Strong in every instrumented module. Not const here: the compiler must look.
 */
MPRT_WEAK bool __memprof_histogram;
/* Strong in modules compiled with -memprof-atomic. */
MPRT_WEAK bool __memprof_atomic_v1;
/* Strong in modules compiled with -memprof-access=rw or rw-bytes. */
MPRT_WEAK uint32_t __memprof_rw_v1;

/* -- geometry -------------------------------------------------------------- */

static inline uint8_t *cell_of(uintptr_t addr)
{
    return (uint8_t *)(__memprof_shadow_memory_dynamic_address +
                       mprof_abi_CELL_off(addr));
}

static inline uint32_t *wide_cell_of(uintptr_t addr)
{
    return (uint32_t *)(__memprof_histogram_wide_shadow_v1 +
                        mprof_abi_WIDE_CELL_off(addr));
}

/* Of a granule: reads, writes. */
static inline uint64_t *rw_counters_of(uintptr_t addr)
{
    return (uint64_t *)(__memprof_rw_shadow_v1 + mprof_abi_READS_off(addr));
}

/* Of a granule: bytes read, bytes written. */
static inline uint64_t *rw_bytes_of(uintptr_t addr)
{
    return (uint64_t *)(__memprof_rw_bytes_shadow_v1 +
                        mprof_abi_READ_BYTES_off(addr));
}

/* One past the last cell's, granule's address of a block. */
static inline uintptr_t end_of(uintptr_t p, size_t size, uintptr_t unit)
{
    return mprof_round_up(p + size, unit);
}

/* -- mapping --------------------------------------------------------------- */

static void advise(uintptr_t start, size_t bytes)
{
    if (mprt_options.no_huge_pages_for_shadow)
        mprt_os_advise((void *)start, bytes, MADV_NOHUGEPAGE);
    if (mprt_options.use_madv_dontdump)
        mprt_os_advise((void *)start, bytes, MADV_DONTDUMP);
}

static uintptr_t map_shadow(uintptr_t hint, size_t bytes)
{
    const uintptr_t base = (uintptr_t)mprt_memory_reserve_counters(hint, bytes);

    if (base != 0)
        advise(base, bytes);
    return base;
}

/* The last `bytes` of the second mapping: RW_BYTES hold the counters of reads
 * and writes; WIDE_BYTES hold their bytes too, or the wide cells. It grows
 * downwards, so that it takes no more than it must. */
static uintptr_t wide_start;
static size_t wide_bytes;

static bool map_wide(size_t bytes)
{
    const size_t missing = bytes - wide_bytes;

    if (wide_bytes >= bytes)
        return true;
    if (wide_start == 0)
        wide_start = map_shadow(WIDE_END - bytes, bytes);
    else if (mprt_memory_extend_counters(wide_start, missing))
        advise(wide_start -= missing, missing);
    else
        return false;
    if (wide_start == 0)
        return false;
    wide_bytes = bytes;
    __memprof_rw_shadow_v1 = wide_start + bytes - RW_BYTES;
    if (bytes == WIDE_BYTES)
        __memprof_histogram_wide_shadow_v1 = __memprof_rw_bytes_shadow_v1 =
            wide_start;
    return true;
}

static void need_rw(bool has_bytes)
{
    if (!map_wide(has_bytes ? WIDE_BYTES : RW_BYTES))
        mprt_memory_give_up("the counters of reads and writes");
}

static void need_wide_cells(void)
{
    if (!map_wide(WIDE_BYTES))
        mprt_memory_give_up("the cells of histograms");
}

/* The processor has AVX2, and the system keeps its registers. */
static bool has_avx2(void)
{
    unsigned a, b, c, d;

    if (__get_cpuid(1, &a, &b, &c, &d) == 0 ||
        (c & (bit_OSXSAVE | bit_AVX)) != (bit_OSXSAVE | bit_AVX) ||
        __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & bit_AVX2) == 0)
        return false;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (a & XCR0_VECTORS) == XCR0_VECTORS;
}

static void set_plain(void)
{
    mprt_shadow_is_plain = mprt_shadow_mode == MPRT_SHADOW_NORMAL &&
                           !__memprof_atomic_v1 && !mprt_shadow_is_off;
}

void mprt_shadow_map(void)
{
    /* The larger one first, at its place below the program. */
    if (__memprof_histogram)
        need_wide_cells();
    if (__memprof_rw_v1 != 0)
        need_rw(__memprof_rw_v1 == MPROF_MODE_RW_BYTES);
    __memprof_shadow_memory_dynamic_address = map_shadow(0, SHADOW_BYTES);
    if (__memprof_shadow_memory_dynamic_address == 0)
        mprt_memory_give_up("the counters of memory accesses");
}

void mprt_shadow_init(void)
{
    mprt_shadow_mode =
        __memprof_histogram ? MPRT_SHADOW_HISTOGRAM : MPRT_SHADOW_NORMAL;
    set_plain();
    is_wide = has_avx2();
    if (__memprof_shadow_memory_dynamic_address == 0) {
        mprt_shadow_map();
    } else { /* before there were options */
        advise(wide_start, wide_bytes);
        advise(__memprof_shadow_memory_dynamic_address, SHADOW_BYTES);
    }
}

bool mprt_shadow_begin_rw(bool has_bytes)
{
    need_rw(has_bytes);
    if (mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM)
        return false;
    if (rw_state == RW_SPOILT)
        return true;
    if (!has_bytes || rw_state == RW_NOT_ALL_BYTES)
        rw_state = RW_NOT_ALL_BYTES;
    else
        rw_state = RW_ALL_BYTES;
    mprt_shadow_mode = MPRT_SHADOW_RW;
    set_plain();
    return true;
}

void mprt_shadow_spoil_rw(void)
{
    rw_state = RW_SPOILT;
    if (mprt_shadow_mode == MPRT_SHADOW_RW)
        mprt_shadow_mode = MPRT_SHADOW_NORMAL;
    set_plain();
}

/* Of the heap: nobody has counted there for a block that is recorded so. */
static void clear_stale(void)
{
    if (!mprt_shadow_is_stale)
        return;
    mprt_shadow_is_stale = false;
    mprt_pages_clear(mprt_shadow_counter_of((uintptr_t)mprt_runs_region),
                     mprt_heap_extent() >> MPROF_SHADOW_SCALE);
}

static void set_off(void)
{
    const bool is_off =
        atomic_load_explicit(&objects, memory_order_relaxed) ==
        atomic_load_explicit(&uncounted_objects, memory_order_relaxed);

    if (!is_off)
        clear_stale();
    mprt_shadow_is_off = is_off;
    set_plain();
}

void mprt_shadow_begin_object(void)
{
    atomic_fetch_add_explicit(&objects, 1, memory_order_relaxed);
    set_off();
}

void mprt_shadow_begin_uncounted(void)
{
    atomic_fetch_add_explicit(&uncounted_objects, 1, memory_order_relaxed);
    set_off();
}

/* -- counting -------------------------------------------------------------- */

static void add_words(uint64_t *counter, uint64_t words)
{
    if (MPROF_LIKELY(mprt_shadow_is_plain))
        *counter += words;
    else
        __atomic_fetch_add(counter, words, __ATOMIC_RELAXED);
}

/* Atomic where instrumented code is, but for cells. A wide cell, where there
 * are two: it holds more. */
static void count_one(uintptr_t addr)
{
    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM) {
        add_words(mprt_shadow_counter_of(addr), 1);
    } else {
        uint32_t *const cell = wide_cell_of(addr);
        *cell += *cell != MPROF_WIDE_CELL_MAX;
    }
}

void mprt_shadow_begin_wide_cells(void)
{
    need_wide_cells();
    atomic_store_explicit(&callbacks_are_wide, true, memory_order_relaxed);
}

void mprt_shadow_count_callback(uintptr_t addr)
{
    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM ||
        atomic_load_explicit(&callbacks_are_wide, memory_order_relaxed)) {
        count_one(addr);
    } else {
        uint8_t *const cell = cell_of(addr);
        *cell += *cell != MPROF_CELL_MAX;
    }
}

/* Two counters at a time; the compiler must not want more of them than that. */
typedef uint64_t counter_pair
    __attribute__((vector_size(16), aligned(8), may_alias));

/* Adds `words` to each of counters[0..count). */
static void add_to_all(uint64_t *counters, size_t count, uint64_t words)
{
    const counter_pair add = {words, words};
    size_t i = 0;

    for (; !mprt_shadow_is_plain && i < count; i++)
        add_words(counters + i, words);
    for (; i + 2 <= count; i += 2)
        *(counter_pair *)(void *)(counters + i) += add;
    if (i < count)
        counters[i] += words;
}

/* The words start at addr, as LLVM's do: their addresses are addr + 8 * i. So
 * the first granule has the words that begin in what is left of it, all others
 * as many as fit, wherever in a word the range starts. */
void mprt_shadow_count_range(uintptr_t addr, size_t n)
{
    const uint64_t words_per_granule =
        MPROF_GRANULE_BYTES / MPROF_RANGE_WORD_BYTES;
    const uint64_t words =
        n / MPROF_RANGE_WORD_BYTES + (n % MPROF_RANGE_WORD_BYTES != 0);
    const uint64_t first = (MPROF_GRANULE_BYTES - addr % MPROF_GRANULE_BYTES +
                            MPROF_RANGE_WORD_BYTES - 1) /
                           MPROF_RANGE_WORD_BYTES;
    uint64_t *counters;

    if (mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM) {
        for (uint64_t i = 0; i < words; i++)
            count_one(addr + i * MPROF_RANGE_WORD_BYTES);
        return;
    }
    counters = mprt_shadow_counter_of(addr);
    if (words <= first) {
        add_words(counters, words);
        return;
    }
    add_words(counters++, first);
    if (MPROF_LIKELY(words - first <= words_per_granule)) {
        add_words(counters, words - first);
        return;
    }
    add_to_all(counters, (words - first) / words_per_granule,
               words_per_granule);
    counters += (words - first) / words_per_granule;
    if ((words - first) % words_per_granule != 0)
        add_words(counters, (words - first) % words_per_granule);
}

static void add_rw(uint64_t *counter, uint64_t n)
{
    if (__memprof_atomic_v1)
        __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
    else
        *counter += n;
}

/* All of it in the first granule: the range lies in one block. */
void mprt_shadow_count_rw(uintptr_t addr, size_t n, bool is_write)
{
    add_rw(rw_counters_of(addr) + is_write,
           n / MPROF_RANGE_WORD_BYTES + (n % MPROF_RANGE_WORD_BYTES != 0));
    if (rw_state == RW_ALL_BYTES)
        add_rw(rw_bytes_of(addr) + is_write, n);
}

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
    if (rw_state == RW_ALL_BYTES)
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
    clear_bytes(wide_cell_of(p), wide_cell_of(end));
}

/* -- summing --------------------------------------------------------------- */

#define CHUNK_COUNTERS 8
#define LINES_AT_ONCE 4 /* of 64 bytes: two loads in each cycle */

/* Counters, which may lie in pairs: what the first ones come to, and the
 * others.
 */
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
    const uint32_t *const end = (const uint32_t *)(const void *)to;

    for (const uint32_t *c = (const uint32_t *)(const void *)from; c != end;
         c++) {
        sum->total[0] += *c;
        sum->is_saturated |= *c == MPROF_WIDE_CELL_MAX;
    }
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
    const uintptr_t end = end_of(p, size, MPROF_CELL_BYTES);
    mprt_pages_visit((const char *)cell_of(p), (const char *)cell_of(end),
                     add_cells, &sum);
    mprt_pages_visit((const char *)wide_cell_of(p),
                     (const char *)wide_cell_of(end), add_wide_cells, &sum);
    *saturated = sum.is_saturated;
    return total_of(&sum);
}

static inline counter_pair any_of_line(const counter_pair *v)
{
    return (v[0] | v[1]) | (v[2] | v[3]);
}

/* Adds up one cache line of counters and leaves zeros. */
static inline counter_pair take_line(counter_pair *v)
{
    const counter_pair total = (v[0] + v[1]) + (v[2] + v[3]);

    v[0] = v[1] = v[2] = v[3] = (counter_pair){0, 0};
    return total;
}

#define COUNTERS_AT_ONCE (LINES_AT_ONCE * CHUNK_COUNTERS)

/* The first counters of [c, end), in steps of COUNTERS_AT_ONCE, of which one is
 * not zero; or where fewer than that are left. */
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

/* The same at twice the speed. */
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

/* Sums the counters and leaves zeros, storing only near counts: the counters of
 * memory that was not touched stay shared zero pages, or clean cache lines. */
static void take_counters(void *context, const char *from, const char *to)
{
    struct sum *const sum = context;
    uint64_t *c = (uint64_t *)(uintptr_t)from;
    uint64_t *const end = (uint64_t *)(uintptr_t)to;
    counter_pair total = sum->total;

    for (;;) {
        c = is_wide ? skip_zeros_avx2(c, end) : skip_zeros(c, end);
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

/* Sums counters and leaves zeros, however many they are. */
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

/* -- reads and writes apart ------------------------------------------------ */

/* An access counts in one place, so what `others` were is known of none if
 * there are any: then some of the code that accessed the block does not count
 * so. */
static uint64_t fill_rw(struct mprof_block_rw *rw, uint64_t others,
                        counter_pair counts, counter_pair bytes)
{
    *rw = (struct mprof_block_rw){.reads = counts[0],
                                  .writes = counts[1],
                                  .read_bytes = bytes[0],
                                  .write_bytes = bytes[1],
                                  .is_measured = others == 0,
                                  .has_bytes = rw_state == RW_ALL_BYTES};
    return others + counts[0] + counts[1];
}

uint64_t mprt_shadow_sum_rw(uintptr_t p, size_t size, struct mprof_block_rw *rw)
{
    const uintptr_t end = end_of(p, size, MPROF_GRANULE_BYTES);
    struct sum counts = {{0, 0}, false};
    struct sum bytes = {{0, 0}, false};
    bool is_saturated;
    const uint64_t others = mprt_shadow_sum(p, size, &is_saturated);

    mprt_pages_visit((const char *)rw_counters_of(p),
                     (const char *)rw_counters_of(end), add_counters, &counts);
    if (rw_state == RW_ALL_BYTES)
        mprt_pages_visit((const char *)rw_bytes_of(p),
                         (const char *)rw_bytes_of(end), add_counters, &bytes);
    return fill_rw(rw, others, counts.total, bytes.total);
}

/* The pairs of a small block. */
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

uint64_t mprt_shadow_take_rw(uintptr_t p, size_t size,
                             struct mprof_block_rw *rw)
{
    const size_t granules = mprt_shadow_count_of(p, size);
    const uint64_t others = mprt_shadow_end(p, size);
    struct sum counts = {{0, 0}, false};
    struct sum bytes = {{0, 0}, false};
    const bool has_bytes = rw_state == RW_ALL_BYTES;

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

struct visit {
    mprt_shadow_cells_fn *visit;
    void *to;
    const char *base; /* the block's first cell */
};

/* Cells from this one on that may be visited at once, up to `end`. */
static unsigned group_of(uint64_t cell, uint64_t end)
{
    return (unsigned)mprof_min_u64(end - cell,
                                   MPRT_SHADOW_CELLS_AT_ONCE -
                                       cell % MPRT_SHADOW_CELLS_AT_ONCE);
}

static inline MPRT_ALWAYS_INLINE bool is_any(const void *cells, size_t n)
{
    const uint8_t *const bytes = (const uint8_t *)cells;
    size_t i = 0;
    uint32_t any = 0;

    for (; i + sizeof(any) <= n; i += sizeof(any)) {
        uint32_t word;

        __builtin_memcpy(&word, bytes + i, sizeof(word));
        any |= word;
    }
    for (; i < n; i++)
        any |= bytes[i];
    return any != 0;
}

/* Is any of n cells not zero? Whole groups in a few instructions. */
#define IS_ANY(cells, n)                                                 \
    (MPROF_LIKELY((n) == MPRT_SHADOW_CELLS_AT_ONCE)                      \
         ? is_any(cells, MPRT_SHADOW_CELLS_AT_ONCE * sizeof((cells)[0])) \
         : is_any(cells, (n) * sizeof((cells)[0])))

static void visit_cells(void *context, const char *from, const char *to)
{
    const struct visit *const v = (const struct visit *)context;
    const uint8_t *const cells = (const uint8_t *)v->base;
    const uint64_t end = (uint64_t)(to - v->base);
    unsigned n;

    for (uint64_t cell = (uint64_t)(from - v->base); cell < end; cell += n) {
        uint32_t counts[MPRT_SHADOW_CELLS_AT_ONCE];

        n = group_of(cell, end);
        if (!IS_ANY(cells + cell, n))
            continue;
        for (unsigned i = 0; i < n; i++)
            counts[i] = cells[cell + i];
        v->visit(v->to, cell, counts, n);
    }
}

static void visit_wide_cells(void *context, const char *from, const char *to)
{
    const struct visit *const v = (const struct visit *)context;
    const uint32_t *const cells = (const uint32_t *)(const void *)v->base;
    const uint64_t end = (uint64_t)(to - v->base) / sizeof(*cells);
    unsigned n;

    for (uint64_t cell = (uint64_t)(from - v->base) / sizeof(*cells);
         cell < end; cell += n) {
        n = group_of(cell, end);
        if (IS_ANY(cells + cell, n))
            v->visit(v->to, cell, cells + cell, n);
    }
}

uint32_t mprt_shadow_cell_count(uint64_t size)
{
    const uint64_t cells =
        size / MPROF_CELL_BYTES + (size % MPROF_CELL_BYTES != 0);

    return (uint32_t)mprof_min_u64(cells, UINT32_MAX);
}

void mprt_shadow_visit_cells(uintptr_t p, size_t size,
                             mprt_shadow_cells_fn *visit, void *to)
{
    const uintptr_t end =
        p + (uintptr_t)mprt_shadow_cell_count(size) * MPROF_CELL_BYTES;
    struct visit cells = {visit, to, (const char *)cell_of(p)};
    struct visit wide = {visit, to, (const char *)wide_cell_of(p)};

    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM)
        return;
    mprt_pages_visit(cells.base, (const char *)cell_of(end), visit_cells,
                     &cells);
    mprt_pages_visit(wide.base, (const char *)wide_cell_of(end),
                     visit_wide_cells, &wide);
}

/* Of a block at p, counters of granules from `base` on, `width` for each. */
struct places {
    mprt_shadow_cells_fn *visit;
    void *to;
    const char *base;
    uintptr_t p;
    unsigned width;
};

static void visit_place(const struct places *v, uint64_t granule,
                        uint64_t count)
{
    const uint64_t start = granule * MPROF_GRANULE_BYTES;
    const uint64_t before = v->p % MPROF_GRANULE_BYTES;
    const uint64_t place =
        start > before ? (start - before) / MPROF_DETAIL_PLACE_BYTES : 0;

    while (count != 0) {
        const uint32_t part = (uint32_t)mprof_min_u64(count, UINT32_MAX);

        v->visit(v->to, place, &part, 1);
        count -= part;
    }
}

static void visit_counters(void *context, const char *from, const char *to)
{
    const struct places *const v = (const struct places *)context;
    const uint64_t first = (uint64_t)(from - v->base) / sizeof(uint64_t);
    const uint64_t *const counters = (const uint64_t *)(const void *)v->base;
    const uint64_t end = (uint64_t)(to - v->base) / sizeof(uint64_t);

    for (uint64_t i = first; i < end; i++)
        visit_place(v, i / v->width, counters[i]);
}

void mprt_shadow_visit_places(uintptr_t p, size_t size,
                              mprt_shadow_cells_fn *visit, void *to)
{
    const uintptr_t end = end_of(p, size, MPROF_GRANULE_BYTES);
    struct places all = {visit, to, (const char *)mprt_shadow_counter_of(p), p,
                         1};
    struct places rw = {visit, to, (const char *)rw_counters_of(p), p, 2};

    if (mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM || size == 0)
        return;
    mprt_pages_visit(all.base, (const char *)mprt_shadow_counter_of(end),
                     visit_counters, &all);
    if (mprt_shadow_mode == MPRT_SHADOW_RW)
        mprt_pages_visit(rw.base, (const char *)rw_counters_of(end),
                         visit_counters, &rw);
}
