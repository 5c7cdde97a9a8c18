/* entry.c -- start and end of the runtime, and what instrumented code calls.
 *
 * Start, in this order:
 *   1. mprt_init(), by the first allocation (the dynamic linker's, before any
 *      constructor) or by 2: everything that needs system calls only. Blocks
 *      are recorded from here on.
 *   2. __memprof_preinit() from .preinit_array, before the constructors of the
 *      program and its libraries: what needs libc. The dump at exit is
 *      registered here, before anybody else's exit handler, so that it runs
 *      last.
 *   3. __memprof_init() from each instrumented module's constructor: the same,
 *      for programs whose preinit array was not run.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/start/start.h"
#include "rt/record/block.h"
#include "rt/stack/depot.h"
#include "rt/heap/heap.h"
#include "rt/record/mibmap.h"
#include "rt/stack/module_history.h"
#include "rt/base/overhead.h"
#include "rt/stack/stack_cache.h"
#include "rt/base/thread.h"
#include "shared/version.h"

#include <sanitizer/memprof_interface.h>

extern int __cxa_atexit(void (*function)(void *), void *argument,
                        void *dso_handle);

enum state { STATE_NEW, STATE_STARTING, STATE_READY };

static _Atomic uint32_t state;
static _Atomic bool has_libc;

_Atomic bool mprt_running;
_Atomic bool mprt_recording;

/* -- what compiled code may define ----------------------------------------- */

/* Strong in every instrumented module. Not const here: the compiler must look.
 */
MPRT_WEAK bool __memprof_histogram;
/* Strong in modules compiled with -memprof-atomic. */
MPRT_WEAK bool __memprof_atomic_v1;

/* -- start ----------------------------------------------------------------- */

static _Noreturn void give_up(const char *what)
{
    mprt_log("cannot reserve address space for ", what,
             "; is there a limit on virtual memory (ulimit -v)?", NULL);
    mprt_sys_exit(MPROF_EXIT_NO_SHADOW);
}

static void start(void)
{
    if (!mprt_fits_program()) {
        mprt_log("this program is linked statically, but with the runtime of "
                 "dynamic programs; link it with memprof-clang, or with "
                 "-resource-dir=.../resource/static and its wrap.flags",
                 NULL);
        mprt_sys_exit(MPROF_EXIT_NO_SHADOW);
    }
    mprt_sys_init();
    mprt_lock_init();
    if (!mprt_heap_init())
        give_up("the heap");
    mprt_options_init();
    if (!mprt_shadow_init(__memprof_histogram, __memprof_atomic_v1))
        give_up("the counters of memory accesses");
    if (!mprt_depot_init() || !mprt_mibmap_init())
        give_up("call stacks");
    mprt_clock_init();
    mprt_owntime_init();
    mprt_block_init();
    mprt_stack_init();
    mprt_thread_init();
}

void mprt_init_slow(void)
{
    uint32_t expected = STATE_NEW;

    /* Pairs with the release below. */
    if (!atomic_compare_exchange_strong_explicit(
            &state, &expected, STATE_STARTING, memory_order_acquire,
            memory_order_acquire)) {
        /* Ourselves, further out, or, hardly, another thread. */
        while (!mprt_thread_local.is_inside &&
               atomic_load_explicit(&state, memory_order_acquire) !=
                   STATE_READY)
            mprt_sys_yield();
        return;
    }
    mprt_thread_enter();
    start();
    mprt_thread_leave();
    atomic_store_explicit(&mprt_running, true, memory_order_relaxed);
    atomic_store_explicit(&mprt_recording, mprt_options.start,
                          memory_order_relaxed);
    atomic_store_explicit(&mprt_is_ready, true, memory_order_release);
    atomic_store_explicit(&state, STATE_READY, memory_order_release);
}

_Atomic bool mprt_is_ready;

void mprt_init(void)
{
    mprt_init_fast();
}

/* -- end ------------------------------------------------------------------- */

static void at_exit(void *unused)
{
    (void)unused;
    mprt_profile_at_exit();
    atomic_store_explicit(&mprt_recording, false, memory_order_relaxed);
    atomic_store_explicit(&mprt_running, false, memory_order_relaxed);
}

static void start_with_libc(void)
{
    mprt_init();
    if (atomic_exchange(&has_libc, true)) {
        mprt_origin_look(); /* a module was loaded */
        return;
    }
    mprt_process_init();
    /* What the lookups allocate is not the program's. */
    if (mprt_thread_enter()) {
        mprt_hooks_init();
        mprt_interpose_init();
        mprt_signals_init();
        mprt_thread_leave();
    }
    mprt_helper_start();
    /* No DSO: it runs when the process exits, not when a library goes. */
    __cxa_atexit(at_exit, NULL, NULL);
}

/* -- the ABI --------------------------------------------------------------- */

void __memprof_init(void);
void __memprof_preinit(void);
void __memprof_version_mismatch_check_v1(void);
void __memprof_mode_v1(uint32_t cell_bits);
void __memprof_load(uintptr_t addr);
void __memprof_store(uintptr_t addr);
void __memprof_hist_load(uintptr_t addr);
void __memprof_hist_store(uintptr_t addr);
void __memprof_record_access_hist(const volatile void *addr);
void __memprof_record_access_range_hist(const volatile void *addr, size_t n);

MPRT_INTERFACE const char __memprof_rt_version[] = MPROF_VERSION;

MPRT_INTERFACE void __memprof_init(void)
{
    start_with_libc();
}

MPRT_INTERFACE void __memprof_preinit(void)
{
    start_with_libc();
}

MPRT_INTERFACE void __memprof_version_mismatch_check_v1(void)
{
}

MPRT_INTERFACE void __memprof_mode_v1(uint32_t cell_bits)
{
    static uint32_t once;
    bool has_cells;

    mprt_init();
    has_cells = mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM;
    if ((cell_bits != 0) == has_cells)
        return;
    mprt_log_once(&once,
                  "some of the program was compiled with "
                  "-memprof-histogram and some without: accesses by "
                  "the part ",
                  has_cells ? "without" : "with",
                  " are not counted right; compile all alike", NULL);
}

/* Code for the other mode than the program's may be linked in: the runtime
 * counts in its own mode whatever the name says. */

MPRT_INTERFACE void __memprof_load(uintptr_t addr)
{
    mprt_shadow_count(addr);
}

MPRT_INTERFACE void __memprof_store(uintptr_t addr)
{
    mprt_shadow_count(addr);
}

MPRT_INTERFACE void __memprof_hist_load(uintptr_t addr)
{
    mprt_shadow_count(addr);
}

MPRT_INTERFACE void __memprof_hist_store(uintptr_t addr)
{
    mprt_shadow_count(addr);
}

MPRT_INTERFACE void __memprof_record_access(const volatile void *addr)
{
    mprt_shadow_count((uintptr_t)addr);
}

MPRT_INTERFACE void __memprof_record_access_hist(const volatile void *addr)
{
    mprt_shadow_count((uintptr_t)addr);
}

MPRT_INTERFACE void __memprof_record_access_range(const volatile void *addr,
                                                  size_t n)
{
    mprt_shadow_count_range((uintptr_t)addr, n);
}

MPRT_INTERFACE void
__memprof_record_access_range_hist(const volatile void *addr, size_t n)
{
    mprt_shadow_count_range((uintptr_t)addr, n);
}
