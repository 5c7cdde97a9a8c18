/* live_bytes.h -- measures the memory that a reader uses at a time, for targets
 * that limit it: the sanitizers call these functions for each allocation.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <sanitizer/allocator_interface.h>
#include <stddef.h>
#include <stdint.h>

/* Commands have threads. */
static _Atomic int64_t live_bytes;
static _Atomic int64_t peak_bytes;

/* For __sanitizer_install_malloc_and_free_hooks(). */
static void count_malloc(const volatile void *p, size_t size)
{
    const int64_t live = (live_bytes += (int64_t)size);

    (void)p;
    if (live > peak_bytes)
        peak_bytes = live;
}

static void count_free(const volatile void *p)
{
    if (p != NULL)
        live_bytes -=
            (int64_t)__sanitizer_get_allocated_size((const void *)(uintptr_t)p);
}
