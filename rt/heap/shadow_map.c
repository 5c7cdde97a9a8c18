/* shadow_map.c -- maps the access counters: instrumented code computes from an
 * address the place of its counter (shared/abi.h).
 *
 * One unreserved mapping covers the whole user address space, so a counted
 * access never faults. Only touched pages take memory.
 *
 * Wide cells and the counters of reads and writes have a second mapping. It is
 * made once some code needs it: a constant in the program says so, or a
 * module's constructor does. Because it takes up to half of the address space,
 * wide cells, counters by 4 bytes, and counters of reads and writes share it.
 * If object files of both modes are linked together, their counts are lost, but
 * nothing crashes. Code that counts reads and writes separately announces
 * itself when it starts. Until then these counters are zero in all blocks, so
 * their mode may begin at any time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/shadow_internal.h"
#include "rt/base/memory.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/pages.h"
#include "rt/base/state.h"

#include <cpuid.h>
#include <sys/mman.h>

#define ADDRESS_BITS 47 /* of user space on x86-64 */
#define SHADOW_BYTES ((size_t)1 << (ADDRESS_BITS - MPROF_SHADOW_SCALE))
#define WIDE_BYTES ((size_t)1 << (ADDRESS_BITS - MPROF_WIDE_SHADOW_SCALE))
#define RW_BYTES ((size_t)1 << (ADDRESS_BITS - MPROF_COUNTER_READS_SHIFT))
_Static_assert(2 * RW_BYTES == WIDE_BYTES, "accesses, then bytes");
_Static_assert((size_t)1 << (MPROF_FIELDS_ADDRESS_BITS -
                             MPROF_COUNTER_READ_STARTS_SHIFT) ==
                   WIDE_BYTES,
               "counters by 4 bytes fill the mapping");
/* Register state that the system saves for threads: of 16 and of 32 bytes. */
#define XCR0_VECTORS 6u
/* Position independent programs are loaded from here on. */
#define WIDE_END ((uintptr_t)0x550000000000)

enum mprt_shadow_mode mprt_shadow_mode;
bool mprt_shadow_has_fields;
bool mprt_shadow_has_threads;
bool mprt_shadow_is_plain = true;
bool mprt_shadow_is_off;
_Atomic bool mprt_shadow_is_partial;
bool mprt_shadow_is_stale;
enum mprt_shadow_rw_state mprt_shadow_rw_state;
_Atomic bool mprt_shadow_callbacks_are_wide;
bool mprt_shadow_has_avx2;
static _Atomic uint32_t objects;
static _Atomic uint32_t uncounted_objects;
static _Atomic uint32_t known_objects;

/* The ABI's base addresses, read by instrumented code. */
MPRT_INTERFACE uintptr_t __memprof_shadow_memory_dynamic_address;
MPRT_INTERFACE uintptr_t __memprof_histogram_wide_shadow_v1;
MPRT_INTERFACE uintptr_t __memprof_fields_shadow_v1;
MPRT_INTERFACE uintptr_t __memprof_rw_shadow_v1;
MPRT_INTERFACE uintptr_t __memprof_rw_bytes_shadow_v1;

/* Every instrumented module has a strong definition. Not const here, so that
 * the compiler reads it. */
MPRT_WEAK bool __memprof_histogram;
/* Modules compiled with -memprof-atomic have a strong definition. */
MPRT_WEAK bool __memprof_atomic_v1;
/* Modules compiled with -memprof-access=fields, rw or rw-bytes have a strong
 * definition. */
MPRT_WEAK uint32_t __memprof_rw_v1;

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

/* The last bytes of the second mapping: RW_BYTES of it hold the counters of
 * reads and writes; WIDE_BYTES hold their bytes as well, or the wide cells. The
 * mapping grows downwards to the size that is needed. */
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
        __memprof_histogram_wide_shadow_v1 = __memprof_fields_shadow_v1 =
            __memprof_rw_bytes_shadow_v1 = wide_start;
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

/* Whether the processor has AVX2 and the system saves its registers. */
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

/* After the mode was changed. */
static void set_plain(void)
{
    if (mprt_shadow_mode != MPRT_SHADOW_NORMAL)
        mprt_state_set(MPRT_STATE_COUNTERS);
    mprt_shadow_is_plain = mprt_shadow_mode == MPRT_SHADOW_NORMAL &&
                           !__memprof_atomic_v1 && !mprt_shadow_is_off;
}

void mprt_shadow_map(void)
{
    const bool is_wide = __memprof_histogram ||
                         __memprof_rw_v1 == MPROF_MODE_FIELDS ||
                         __memprof_rw_v1 == MPROF_MODE_RW_BYTES;

    /* Map the larger one first, at its place below the program. */
    if ((!is_wide && __memprof_rw_v1 == 0) ||
        map_wide(is_wide ? WIDE_BYTES : RW_BYTES))
        __memprof_shadow_memory_dynamic_address = map_shadow(0, SHADOW_BYTES);
}

void mprt_shadow_init(void)
{
    mprt_shadow_has_fields = __memprof_rw_v1 == MPROF_MODE_FIELDS;
    mprt_shadow_mode = __memprof_histogram || mprt_shadow_has_fields
                           ? MPRT_SHADOW_HISTOGRAM
                           : MPRT_SHADOW_NORMAL;
    mprt_shadow_is_off = mprt_bursts_count_nothing;
    set_plain();
    mprt_shadow_has_avx2 = has_avx2();
    if (__memprof_shadow_memory_dynamic_address == 0) {
        mprt_shadow_map();
        if (__memprof_shadow_memory_dynamic_address == 0)
            mprt_memory_give_up("the counters of memory accesses");
    } else { /* mapped before the options were known */
        advise(wide_start, wide_bytes);
        advise(__memprof_shadow_memory_dynamic_address, SHADOW_BYTES);
    }
}

bool mprt_shadow_begin_rw(bool has_bytes)
{
    need_rw(has_bytes);
    if (mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM)
        return false;
    if (mprt_shadow_rw_state == RW_SPOILT)
        return true;
    if (!has_bytes || mprt_shadow_rw_state == RW_NOT_ALL_BYTES)
        mprt_shadow_rw_state = RW_NOT_ALL_BYTES;
    else
        mprt_shadow_rw_state = RW_ALL_BYTES;
    mprt_shadow_mode = MPRT_SHADOW_RW;
    set_plain();
    return true;
}

void mprt_shadow_begin_threads(void)
{
    mprt_shadow_has_threads = mprt_shadow_begin_rw(false);
}

void mprt_shadow_spoil_rw(void)
{
    mprt_shadow_rw_state = RW_SPOILT;
    if (mprt_shadow_mode == MPRT_SHADOW_RW)
        mprt_shadow_mode = MPRT_SHADOW_NORMAL;
    set_plain();
}

static void clear_counters(uintptr_t start, size_t bytes)
{
    const size_t rw_bytes = bytes >> MPROF_COUNTER_READS_SHIFT;

    mprt_pages_clear(mprt_shadow_counter_of(start),
                     bytes >> MPROF_SHADOW_SCALE);
    if (mprt_shadow_mode != MPRT_SHADOW_RW)
        return;
    mprt_pages_clear(rw_counters_of(start), rw_bytes);
    if (mprt_shadow_rw_state == RW_ALL_BYTES)
        mprt_pages_clear(rw_bytes_of(start), rw_bytes);
}

void mprt_shadow_clear_heap(void)
{
    mprt_shadow_is_stale = false;
    clear_counters((uintptr_t)mprt_runs_region, mprt_heap_extent());
}

void mprt_shadow_clear_span(uintptr_t start, size_t bytes)
{
    clear_counters(start, bytes);
    if (mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM && wide_bytes == WIDE_BYTES)
        mprt_pages_clear(wide_cell_of(start), wide_bytes_of(bytes));
}

/* When counting begins, no recorded block has counts yet. */
void mprt_shadow_update(void)
{
    const bool is_off = mprt_bursts_count_nothing ||
                        MPRT_LOAD(objects) == MPRT_LOAD(uncounted_objects);

    if (!is_off && mprt_shadow_is_stale)
        mprt_shadow_clear_heap();
    mprt_shadow_is_off = is_off;
    set_plain();
}

void mprt_shadow_begin_object(void)
{
    /* An earlier object has told nothing: LLVM's pass compiled it. */
    if (MPRT_ADD(objects, 1) > MPRT_LOAD(known_objects))
        mprt_bursts_give_up();
    mprt_shadow_update();
}

void mprt_shadow_begin_counted(bool has_versions)
{
    MPRT_ADD(known_objects, 1);
    if (!has_versions)
        mprt_bursts_give_up();
}

void mprt_shadow_begin_uncounted(void)
{
    MPRT_ADD(known_objects, 1);
    MPRT_ADD(uncounted_objects, 1);
    mprt_shadow_update();
}

void mprt_shadow_begin_wide_cells(void)
{
    need_wide_cells();
    MPRT_STORE(mprt_shadow_callbacks_are_wide, true);
}

/* Discards counters from `base` on, except the heap_bytes of the heap, which
 * begin at `heap`. */
static void discard_around(uintptr_t base, size_t bytes, const void *heap,
                           size_t heap_bytes)
{
    const uintptr_t start = (uintptr_t)heap;
    const uintptr_t end = start + heap_bytes;

    mprt_os_discard((void *)base, start - base);
    mprt_os_discard((void *)end, base + bytes - end);
}

void mprt_shadow_discard_others(void)
{
    const uintptr_t heap = (uintptr_t)mprt_runs_region;

    if (mprt_shadow_is_off)
        return;
    discard_around(__memprof_shadow_memory_dynamic_address, SHADOW_BYTES,
                   mprt_shadow_counter_of(heap),
                   MPRT_HEAP_REGION_BYTES >> MPROF_SHADOW_SCALE);
    if (mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM && wide_bytes == WIDE_BYTES)
        discard_around(__memprof_histogram_wide_shadow_v1, WIDE_BYTES,
                       wide_cell_of(heap),
                       wide_bytes_of(MPRT_HEAP_REGION_BYTES));
    if (mprt_shadow_mode != MPRT_SHADOW_RW)
        return;
    discard_around(__memprof_rw_shadow_v1, RW_BYTES, rw_counters_of(heap),
                   MPRT_HEAP_REGION_BYTES >> MPROF_COUNTER_READS_SHIFT);
    if (wide_bytes == WIDE_BYTES)
        discard_around(__memprof_rw_bytes_shadow_v1, RW_BYTES,
                       rw_bytes_of(heap),
                       MPRT_HEAP_REGION_BYTES >> MPROF_COUNTER_READS_SHIFT);
}
