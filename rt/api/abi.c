/* abi.c -- functions and variables of the ABI that instrumented code uses,
 * except those that start the runtime.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"
#include "rt/base/log.h"
#include "rt/base/state.h"
#include "rt/heap/shadow.h"
#include "rt/real/real.h"
#include "rt/record/block.h"
#include "rt/stack/instrumented.h"
#include "shared/abi.h"
#include "shared/version.h"

#include <sanitizer/memprof_interface.h>

void __memprof_version_mismatch_check_v1(void);
void __memprof_mode_v1(uint32_t mode);
void __memprof_uncounted_v1(uint32_t unused);
void __memprof_read_v1(const volatile void *addr, size_t n);
void __memprof_unseen_v1(const volatile void *addr);
void __memprof_unseen_static_v1(const volatile void *addr);
void __memprof_load(uintptr_t addr);
void __memprof_store(uintptr_t addr);
void __memprof_threads_load_v1(uintptr_t addr, uint64_t n);
void __memprof_threads_store_v1(uintptr_t addr, uint64_t n);
void __memprof_hist_load(uintptr_t addr);
void __memprof_hist_store(uintptr_t addr);
void __memprof_record_access_hist(const volatile void *addr);
void __memprof_record_access_range_hist(const volatile void *addr, size_t n);

MPRT_INTERFACE const char __memprof_rt_version[] = MPROF_VERSION;

MPRT_INTERFACE void __memprof_version_mismatch_check_v1(void)
{
}

/* How a module that the pass compiled counts accesses. A program can mix
 * modules of several kinds. */
enum {
    SEEN_TOTAL = 1,
    SEEN_CELLS = 2,
    SEEN_RW = 4,
    SEEN_RW_BYTES = 8,
    SEEN_FIELDS = 16,
    SEEN_THREADS = 32,
    SEEN_ANY_CELLS = SEEN_CELLS | SEEN_FIELDS,
    SEEN_ANY_RW = SEEN_RW | SEEN_RW_BYTES
};

static unsigned seen_in(uint32_t mode)
{
    switch (mode) {
    case 0:
        return SEEN_TOTAL;
    case MPROF_MODE_RW:
        return SEEN_RW;
    case MPROF_MODE_RW_BYTES:
        return SEEN_RW_BYTES;
    case MPROF_MODE_FIELDS:
        return SEEN_FIELDS;
    case MPROF_MODE_THREADS:
        return SEEN_THREADS;
    default:
        return SEEN_CELLS;
    }
}

static const char *cells_name(bool has_fields)
{
    return has_fields ? "-memprof-access=fields" : "-memprof-histogram";
}

/* Warns if a module does not count in the cells of the program. Reads and
 * writes are not known then. */
static void check_cells(unsigned seen)
{
    const bool has_cells = mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM;
    const bool has_fields =
        has_cells ? mprt_shadow_has_fields : (seen & SEEN_FIELDS) != 0;

    if (((seen & SEEN_ANY_CELLS) != 0) != has_cells)
        MPRT_LOG_ONCE("some of the program was compiled with ",
                      cells_name(has_fields),
                      " and some without: accesses by the part ",
                      has_cells ? "without" : "with",
                      " are miscounted; compile all files alike");
    else if (has_cells && ((seen & SEEN_FIELDS) != 0) != has_fields)
        MPRT_LOG_ONCE("some of the program was compiled with ",
                      cells_name(true), " and some with ", cells_name(false),
                      ": accesses are miscounted; compile all files alike");
    else
        return;
    mprt_shadow_spoil_rw();
}

/* Warns if modules of the kinds in `seen` cannot be combined; at least one of
 * them counts reads and writes apart. */
static void check_rw(unsigned seen)
{
    if ((seen & SEEN_ANY_CELLS) != 0) {
        mprt_shadow_spoil_rw();
        MPRT_LOG_ONCE("some of the program was compiled with ",
                      cells_name((seen & SEEN_FIELDS) != 0),
                      " and some with -memprof-access=rw: accesses are "
                      "miscounted; compile all files alike");
    } else if ((seen & SEEN_TOTAL) != 0) {
        MPRT_LOG_ONCE("some of the program was compiled with "
                      "-memprof-access=rw and some without: reads and writes "
                      "of blocks that code without it accesses are not "
                      "measured; compile all files alike");
    } else if ((seen & SEEN_ANY_RW) == SEEN_ANY_RW) {
        MPRT_LOG_ONCE("some of the program was compiled with "
                      "-memprof-access=rw and some with rw-bytes: bytes are "
                      "not measured; compile all files alike");
    }
}

/* Notes threads, unless modules of other kinds access blocks, too. */
static void begin_threads(unsigned seen)
{
    if (seen == SEEN_THREADS) {
        mprt_shadow_begin_threads();
        return;
    }
    mprt_shadow_spoil_rw();
    MPRT_LOG_ONCE("some of the program was compiled with "
                  "-memprof-access=threads and some without: which threads "
                  "access blocks is not measured; compile all files alike");
}

MPRT_INTERFACE void __memprof_mode_v1(uint32_t mode)
{
    static _Atomic unsigned seen_before;
    const bool has_versions = (mode & MPROF_MODE_VERSIONS) != 0;
    const bool is_partial = (mode & MPROF_MODE_PARTIAL) != 0;
    const unsigned now =
        seen_in(mode &= ~(MPROF_MODE_VERSIONS | MPROF_MODE_PARTIAL));
    unsigned seen =
        now | atomic_fetch_or_explicit(&seen_before, now, memory_order_relaxed);

    mprt_state_require();
    mprt_shadow_begin_counted(has_versions);
    if (is_partial) {
        mprt_state_set(MPRT_STATE_COUNTERS);
        MPRT_STORE(mprt_shadow_is_partial, true);
    }
    if ((now & SEEN_ANY_CELLS) != 0 && mode > MPROF_CELL_BITS)
        mprt_shadow_begin_wide_cells();
    if ((seen & SEEN_THREADS) != 0)
        begin_threads(seen);
    if ((now & SEEN_ANY_RW) == 0)
        check_cells(now);
    else if (!mprt_shadow_begin_rw(now == SEEN_RW_BYTES))
        seen |= mprt_shadow_has_fields ? SEEN_FIELDS : SEEN_CELLS;
    if ((seen & SEEN_ANY_RW) != 0)
        check_rw(seen);
}

MPRT_INTERFACE void __memprof_uncounted_v1(uint32_t unused)
{
    (void)unused;
    mprt_state_require();
    mprt_instrumented_note_uncounted(MPRT_CALLER_PC());
    mprt_shadow_begin_uncounted();
}

MPRT_INTERFACE void __memprof_read_v1(const volatile void *addr, size_t n)
{
    mprt_count_read(addr, n);
}

static void mark_unseen(const volatile void *addr)
{
    const void *const p = (const void *)(uintptr_t)addr;

    if (!mprt_block_mark_unseen(p))
        /* p may point just past the block */
        mprt_block_mark_unseen((const char *)p - 1);
}

MPRT_INTERFACE void __memprof_unseen_v1(const volatile void *addr)
{
    mark_unseen(addr);
}

MPRT_INTERFACE void __memprof_unseen_static_v1(const volatile void *addr)
{
    if (mprt_real_form.is_static)
        mark_unseen(addr);
}

/* A program may link code that was compiled for the other mode (with or without
 * histograms). The runtime counts in the mode of the program whichever function
 * is called. */

#define CALLBACK(name, type)                         \
    MPRT_INTERFACE void name(type addr)              \
    {                                                \
        mprt_shadow_count_callback((uintptr_t)addr); \
    }
#define RANGE_CALLBACK(name)                                      \
    MPRT_INTERFACE void name(const volatile void *addr, size_t n) \
    {                                                             \
        mprt_shadow_count_range_callback((uintptr_t)addr, n);     \
    }
MPRT_INTERFACE void __memprof_threads_load_v1(uintptr_t addr, uint64_t n)
{
    mprt_shadow_count_thread(addr, n, false);
}

MPRT_INTERFACE void __memprof_threads_store_v1(uintptr_t addr, uint64_t n)
{
    mprt_shadow_count_thread(addr, n, true);
}

CALLBACK(__memprof_load, uintptr_t)
CALLBACK(__memprof_store, uintptr_t)
CALLBACK(__memprof_hist_load, uintptr_t)
CALLBACK(__memprof_hist_store, uintptr_t)
CALLBACK(__memprof_record_access, const volatile void *)
CALLBACK(__memprof_record_access_hist, const volatile void *)
RANGE_CALLBACK(__memprof_record_access_range)
RANGE_CALLBACK(__memprof_record_access_range_hist)
