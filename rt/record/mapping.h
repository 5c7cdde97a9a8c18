/* mapping.h -- memory that the program maps by mmap(), mremap() and sbrk(), and
 * stacks of its threads: blocks of pools that are named by what is mapped. Any
 * thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/mibmap.h"

/* X(NAME, name of the pool) */
#define MPRT_MAPPING_KINDS(X)         \
    X(MEMORY, "mapped memory")        \
    X(SHARED, "shared memory")        \
    X(FILES, "mapped files")          \
    X(RESERVED, "reserved addresses") \
    X(BREAK, "program break")         \
    X(STACKS, "thread stacks")

enum mprt_mapping_kind {
    MPRT_MAPPING_NONE,
#define X(name, text) MPRT_MAPPING_##name,
    MPRT_MAPPING_KINDS(X)
#undef X
};

/* Whether a pool of this name is one of mappings. */
bool mprt_mapping_is_name(const char *name);

/* Reserves the table unless mappings=0. Called once. */
void mprt_mapping_init(void);

/* The kind of a new mapping with mmap()'s prot and flags. */
enum mprt_mapping_kind mprt_mapping_kind_of(int prot, int flags);
/* Begins a mapping of `size` bytes at p. The call returns to `caller`. */
void mprt_mapping_add(uintptr_t p, uint64_t size, enum mprt_mapping_kind kind,
                      struct mprt_caller caller);

/* Locks the table for a call that ends mappings, so that another thread, which
 * gets the same addresses, adds its mapping afterwards. Returns false if
 * nothing is recorded; then mprt_mapping_unlock() must not be called. */
bool mprt_mapping_lock(uint64_t *signals);
void mprt_mapping_unlock(uint64_t signals);
/* Between these two: ends the mappings of `size` bytes at p, or parts of them.
 * A part counts as a block, with the birth of the whole. */
void mprt_mapping_end(uintptr_t p, uint64_t size);
/* Likewise: the kind of the mapping that contains p. */
enum mprt_mapping_kind mprt_mapping_kind_at(uintptr_t p);

/* While signals are blocked: visits the parts of mappings that lie in [start,
 * end), in descending order. False if another thread, or this one, holds the
 * table for longer than patience_ns. */
bool mprt_mapping_visit(uintptr_t start, uintptr_t end, uint64_t patience_ns,
                        void (*visit)(uintptr_t from, uintptr_t to,
                                      enum mprt_mapping_kind kind));

/* Adds all mappings to a snapshot (mprt_mibmap_add_live()). Returns the number
 * of the peak of mapped memory, for mprt_mibmap_finalize(). */
uint32_t mprt_mapping_add_live(const struct mprt_mibmap_taken *taken);
/* Forgets the peak. */
void mprt_mapping_restart_peak(void);
/* Makes all mappings look as if they were born now, and forgets the peak. */
void mprt_mapping_restart_all(void);

/* See lifecycle.inc. */
extern MPRT_HIDDEN struct mprt_lock mprt_mapping_table_lock;
void mprt_mapping_in_child(void);
