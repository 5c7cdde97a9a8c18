/* memory.h -- the runtime's own memory and address space. Any thread, also in
 * signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Zeroed memory, or NULL. bytes is rounded up to pages. If a limit of the
 * program refuses a new mapping, the memory comes from address space that was
 * reserved at the start. */
void *mprt_memory_map(size_t bytes);
/* Gives memory of mprt_memory_map() back, all of it or whole pages of it. */
void mprt_memory_unmap(void *addr, size_t bytes);
/* Sum of what mprt_memory_map() has mapped now. */
uint64_t mprt_memory_mapped_bytes(void);

/* Memory that small pieces are cut from, which are never given back. */
struct mprt_memory_chunk {
    char *at;
    size_t left;
};
/* Zeroed memory, or NULL. If the chunk has too little left, maps a new one of
 * chunk_bytes, or of `bytes` if that is more; what was left is lost. */
void *mprt_memory_cut(struct mprt_memory_chunk *chunk, size_t bytes,
                      size_t chunk_bytes);

/* The following reservations last until the program ends and are left out of
 * core dumps. They read as zero and take no memory until written. */

/* A table that may grow to `bytes`, or NULL. */
void *mprt_memory_reserve(size_t bytes);
/* Address space for access counters, readable and writable, near `hint` if the
 * system can. RLIMIT_DATA does not count it. NULL on failure. */
void *mprt_memory_reserve_counters(uintptr_t hint, size_t bytes);
/* Extends it by `bytes` below its start. False on failure. */
bool mprt_memory_extend_counters(uintptr_t start, size_t bytes);
/* Address space without access, which counts for RLIMIT_AS only. NULL on
 * failure. */
void *mprt_memory_reserve_closed(size_t bytes);
/* Makes whole pages of that readable and writable. From then on RLIMIT_DATA and
 * core dumps include them. False if a limit does not allow that. */
bool mprt_memory_open(void *addr, size_t bytes);

/* Ends the program because there is no address space for `what`. Names the
 * limit that is the cause. */
_Noreturn void mprt_memory_give_up(const char *what);
