/* sites.h -- the calls of a module, with the frames of their debug locations.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/support/numbers.h"
#include "pass/use/allocations.h"

#include <stdint.h>

/* Calls with deeper inlining are ignored. */
#define MPASS_SITES_FRAMES_MAX 128

struct mpass_site_frame {
    uint32_t function; /* index in mpass_sites.functions */
    uint32_t line_offset;
    uint32_t column;
};

struct mpass_site {
    LLVMValueRef call;
    enum mpass_allocation allocates;
    uint32_t first_frame; /* index of the innermost frame */
    uint32_t frame_count; /* at least 1 */
    uint64_t callee;      /* GUID of the callee; 0: not known */
};

/* A function of the source, which may be inlined into several others. */
struct mpass_site_function {
    const char *name; /* linkage name, not terminated by NUL */
    size_t name_size;
    uint64_t guid;
    bool is_exempt; /* annotated with MEMPROF_NO_HINT */
};

struct mpass_sites {
    struct mpass_site *sites;
    struct mpass_site_frame *frames;
    struct mpass_site_function *functions;
    uint32_t site_count;
    uint32_t frame_count;
    uint32_t function_count;
    bool has_columns;
    struct mpass_numbers numbers; /* of the functions' DISubprograms */
    uint32_t site_room;
    uint32_t frame_room;
    uint32_t function_room;
};

/* Collects all calls with a debug location. `allocation_names` is the value of
 * -memprof-alloc-fn. The caller calls fini. */
void mpass_sites_collect(struct mpass_sites *sites, LLVMModuleRef module,
                         const char *allocation_names);
void mpass_sites_fini(struct mpass_sites *sites);
