/* shadow_internal.h -- where the counters of an address are, for the files
 * shadow_*.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_SHADOW_INTERNAL_H
#define MPRT_SHADOW_INTERNAL_H

#include "rt/heap/shadow.h"

/* Of the code that counts reads and writes apart. */
enum mprt_shadow_rw_state {
    RW_NONE,
    RW_ALL_BYTES,
    RW_NOT_ALL_BYTES,
    RW_SPOILT
};
extern MPRT_HIDDEN enum mprt_shadow_rw_state mprt_shadow_rw_state;
/* Callbacks count in wide cells. */
extern MPRT_HIDDEN _Atomic bool mprt_shadow_callbacks_are_wide;
/* The processor has AVX2, and the system keeps its registers. */
extern MPRT_HIDDEN bool mprt_shadow_has_avx2;
extern uintptr_t __memprof_histogram_wide_shadow_v1;
extern uintptr_t __memprof_rw_shadow_v1;
extern uintptr_t __memprof_rw_bytes_shadow_v1;
/* Strong in modules compiled with -memprof-atomic. */
extern bool __memprof_atomic_v1;

/* Two counters at a time; the compiler must not want more of them than that. */
typedef uint64_t counter_pair
    __attribute__((vector_size(16), aligned(8), may_alias));

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

#endif
