/* sites.h -- the calls of a module, each with the frames that its debug
 * location says.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_SITES_H
#define MPASS_SITES_H

#include "pass/support/numbers.h"
#include "pass/use/allocations.h"

#include <stdint.h>

/* Deeper inlining is not followed. */
#define MPASS_SITES_FRAMES_MAX 128

struct mpass_site_frame {
    uint32_t function; /* of mpass_sites.functions */
    uint32_t line_offset;
    uint32_t column;
};

struct mpass_site {
    LLVMValueRef call;
    enum mpass_allocation allocates;
    uint32_t first_frame; /* the innermost */
    uint32_t frame_count; /* at least one */
    uint64_t callee;      /* GUID of what is called; 0: not known */
};

/* A function of the source; bodies of it may stand in several others. */
struct mpass_site_function {
    const char *name; /* linkage name, not ended by NUL */
    size_t name_size;
    uint64_t guid;
    bool is_exempt; /* it wants no hints: MEMPROF_NO_HINT */
};

struct mpass_sites {
    struct mpass_site *sites;
    struct mpass_site_frame *frames;
    struct mpass_site_function *functions;
    uint32_t site_count;
    uint32_t frame_count;
    uint32_t function_count;
    bool has_columns;
    struct mpass_numbers numbers; /* of LLVM's descriptions of functions */
    uint32_t site_room;
    uint32_t frame_room;
    uint32_t function_room;
};

/* All calls in functions of the module that have a location; fini is due. */
void mpass_sites_collect(struct mpass_sites *sites, LLVMModuleRef module,
                         const char *allocation_names);
void mpass_sites_fini(struct mpass_sites *sites);

#endif
