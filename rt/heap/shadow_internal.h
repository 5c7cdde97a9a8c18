/* shadow_internal.h -- addresses of counters, and state that the files
 * shadow_*.c share.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/heap/shadow.h"

/* State of the counters of reads and writes. */
enum mprt_shadow_rw_state {
    RW_NONE,
    RW_ALL_BYTES,
    RW_NOT_ALL_BYTES,
    RW_SPOILT
};
extern MPRT_HIDDEN enum mprt_shadow_rw_state mprt_shadow_rw_state;
/* Whether mprt_shadow_count_callback() uses wide cells. */
extern MPRT_HIDDEN _Atomic bool mprt_shadow_callbacks_are_wide;
/* Whether the processor has AVX2 and the system saves its registers. */
extern MPRT_HIDDEN bool mprt_shadow_has_avx2;
extern uintptr_t __memprof_histogram_wide_shadow_v1;
extern uintptr_t __memprof_fields_shadow_v1;
extern uintptr_t __memprof_rw_shadow_v1;
extern uintptr_t __memprof_rw_bytes_shadow_v1;
/* Modules compiled with -memprof-atomic have a strong definition. */
extern bool __memprof_atomic_v1;

/* Two counters. The type promises the compiler no more alignment than counters
 * have. */
typedef uint64_t counter_pair
    __attribute__((vector_size(16), aligned(8), may_alias));

static inline uint8_t *cell_of(uintptr_t addr)
{
    return (uint8_t *)(__memprof_shadow_memory_dynamic_address +
                       mprof_abi_CELL_off(addr));
}

/* With mprt_shadow_has_fields, the first of the 4 bytes' counters. */
static inline uint32_t *wide_cell_of(uintptr_t addr)
{
    if (mprt_shadow_has_fields)
        return (uint32_t *)(__memprof_fields_shadow_v1 +
                            mprof_abi_READ_STARTS_off(
                                addr & MPROF_FIELDS_ADDRESS_MASK));
    return (uint32_t *)(__memprof_histogram_wide_shadow_v1 +
                        mprof_abi_WIDE_CELL_off(addr));
}

/* Bytes of the wide cells of so many bytes of memory. */
static inline size_t wide_bytes_of(size_t bytes)
{
    return mprt_shadow_has_fields ? bytes << -MPROF_COUNTER_READ_STARTS_SHIFT
                                  : bytes >> MPROF_WIDE_SHADOW_SCALE;
}

/* End of the wide cells of a block, in bytes from wide_cell_of(p). */
static inline char *wide_end_of(uintptr_t p, size_t size)
{
    const uintptr_t end = mprof_round_up(p + size, MPROF_CELL_BYTES);

    return (char *)wide_cell_of(p) +
           wide_bytes_of(end - mprof_round_down(p, MPROF_CELL_BYTES));
}

/* A granule's counters of reads and of writes. */
static inline uint64_t *rw_counters_of(uintptr_t addr)
{
    return (uint64_t *)(__memprof_rw_shadow_v1 + mprof_abi_READS_off(addr));
}

/* A granule's counters of bytes read and of bytes written. */
static inline uint64_t *rw_bytes_of(uintptr_t addr)
{
    return (uint64_t *)(__memprof_rw_bytes_shadow_v1 +
                        mprof_abi_READ_BYTES_off(addr));
}

/* End of the block, rounded up to a cell or granule. */
static inline uintptr_t end_of(uintptr_t p, size_t size, uintptr_t unit)
{
    return mprof_round_up(p + size, unit);
}
