/* memory.h -- the runtime's own memory and address space. Any thread, also in
 * signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_MEMORY_H
#define MPRT_MEMORY_H

#include "rt/base/rt.h"

/* Zeroed memory, or NULL. bytes is rounded up to pages. Where a limit of the
 * program leaves no room for a new mapping, the memory comes from address space
 * that was set aside at the start. */
void *mprt_memory_map(size_t bytes);
/* Gives back what mprt_memory_map() gave, or a part of it in whole pages. */
void mprt_memory_unmap(void *addr, size_t bytes);

/* The following are kept until the program ends, and are left out of core
 * dumps. Until written, they are zero and take no memory. */

/* A table that may grow to so many bytes, or NULL. */
void *mprt_memory_reserve(size_t bytes);
/* Address space for counters of accesses, readable and writable; near `hint`
 * where the system can. NULL on failure. RLIMIT_DATA does not count it. */
void *mprt_memory_reserve_counters(uintptr_t hint, size_t bytes);
/* `bytes` more of it below its start; false on failure. */
bool mprt_memory_extend_counters(uintptr_t start, size_t bytes);
/* Address space that may not be accessed yet, and counts for RLIMIT_AS only;
 * NULL on failure. */
void *mprt_memory_reserve_closed(size_t bytes);
/* Makes whole pages of it readable and writable. From then on RLIMIT_DATA and
 * core dumps include them. False where a limit forbids that. */
bool mprt_memory_open(void *addr, size_t bytes);

/* Ends the program: there is no address space for `what`. Names the limit that
 * is in the way. */
_Noreturn void mprt_memory_give_up(const char *what);

#endif
