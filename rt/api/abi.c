/* abi.c -- what instrumented code calls and reads, but for its start.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/log.h"
#include "rt/base/state.h"
#include "rt/heap/shadow.h"
#include "shared/abi.h"
#include "shared/version.h"

#include <sanitizer/memprof_interface.h>

void __memprof_version_mismatch_check_v1(void);
void __memprof_mode_v1(uint32_t cell_bits);
void __memprof_load(uintptr_t addr);
void __memprof_store(uintptr_t addr);
void __memprof_hist_load(uintptr_t addr);
void __memprof_hist_store(uintptr_t addr);
void __memprof_record_access_hist(const volatile void *addr);
void __memprof_record_access_range_hist(const volatile void *addr, size_t n);

MPRT_INTERFACE const char __memprof_rt_version[] = MPROF_VERSION;

MPRT_INTERFACE void __memprof_version_mismatch_check_v1(void)
{
}

MPRT_INTERFACE void __memprof_mode_v1(uint32_t cell_bits)
{
    static uint32_t once;
    bool has_cells;

    mprt_state_require();
    if (cell_bits > MPROF_CELL_BITS)
        mprt_shadow_widen_callbacks();
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
    mprt_shadow_count_callback(addr);
}

MPRT_INTERFACE void __memprof_store(uintptr_t addr)
{
    mprt_shadow_count_callback(addr);
}

MPRT_INTERFACE void __memprof_hist_load(uintptr_t addr)
{
    mprt_shadow_count_callback(addr);
}

MPRT_INTERFACE void __memprof_hist_store(uintptr_t addr)
{
    mprt_shadow_count_callback(addr);
}

MPRT_INTERFACE void __memprof_record_access(const volatile void *addr)
{
    mprt_shadow_count_callback((uintptr_t)addr);
}

MPRT_INTERFACE void __memprof_record_access_hist(const volatile void *addr)
{
    mprt_shadow_count_callback((uintptr_t)addr);
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
