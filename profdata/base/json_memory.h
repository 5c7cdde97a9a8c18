/* json_memory.h -- memory for yajl, which goes on where it gets none: a request
 * that cannot be served leaves the library instead, and all that it took is
 * freed at once.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_JSON_MEMORY_H
#define MPDATA_JSON_MEMORY_H

#include <setjmp.h>
#include <yajl/yajl_common.h>

struct mpdata_json_block;

struct mpdata_json_memory {
    yajl_alloc_funcs funcs;           /* for the library; not to be copied */
    struct mpdata_json_block *blocks; /* all of them */
    jmp_buf escape; /* where a request that fails goes; the caller's */
};

/* Each call into the library that may take memory comes after a setjmp() to
 * memory->escape in the same function. */
void mpdata_json_memory_init(struct mpdata_json_memory *memory);
void mpdata_json_memory_fini(struct mpdata_json_memory *memory);

#endif
