/* json_memory.h -- memory for yajl, which does not check its allocations: a
 * failed request jumps out of the library, and all its memory is freed at once.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <setjmp.h>
#include <yajl/yajl_common.h>

struct mpdata_json_block;

struct mpdata_json_memory {
    yajl_alloc_funcs funcs;           /* for yajl; must not be copied */
    struct mpdata_json_block *blocks; /* all blocks that yajl holds */
    jmp_buf escape; /* where a failed request jumps; set by the caller */
};

/* The function that calls yajl must first call setjmp() on memory->escape, for
 * each call that may allocate. */
void mpdata_json_memory_init(struct mpdata_json_memory *memory);
void mpdata_json_memory_fini(struct mpdata_json_memory *memory);
