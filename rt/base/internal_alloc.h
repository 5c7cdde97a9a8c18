/* own.h -- malloc for the runtime's own use; see own.c. Not for blocks of the
 * program. Not to be called from signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_OWN_H
#define MPRT_OWN_H

#include "rt/base/rt.h"

void *mprt_own_malloc(size_t n);
void *mprt_own_calloc(size_t count, size_t size);
void *mprt_own_realloc(void *p, size_t n);
void mprt_own_free(void *p);
/* Bytes taken from the system. */
uint64_t mprt_own_mapped_bytes(void);
struct mprt_lock *mprt_own_lock(void);
_Noreturn void mprt_stack_chk_fail(void);

#endif
