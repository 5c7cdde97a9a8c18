/* internal_alloc.h -- malloc for code inside the runtime object: zstd, and
 * tables that grow. Not for blocks of the program. Call it inside the guard,
 * not in signal handlers, because it takes a lock.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* As in the standard, but errno is kept. Memory is aligned to 16 bytes. */
void *mprt_internal_alloc_malloc(size_t n);
void *mprt_internal_alloc_calloc(size_t count, size_t size);
void *mprt_internal_alloc_realloc(void *p, size_t n);
void mprt_internal_alloc_free(void *p);
/* Bytes of blocks that were ever in use, and of large ones that are. */
uint64_t mprt_internal_alloc_mapped_bytes(void);

/* See lifecycle.inc. */
extern MPRT_HIDDEN struct mprt_lock mprt_internal_alloc_lock;

/* Replaces __stack_chk_fail() for zstd: ends the program. */
_Noreturn void mprt_stack_chk_fail(void);
