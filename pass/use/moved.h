/* moved.h -- finds the locations of a profile in a module, also after its
 * source was edited.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/profile/stacks.h"
#include "pass/use/sites.h"

/* In the order of shared/use_log.inc. */
enum mpass_use_state {
#define MPROF_USE_STATE(id, word, help) MPASS_USE_STATE_##id,
#include "shared/use_log.inc"
};

struct mpass_moved_function {
    const struct mpass_site_function *function;
    enum mpass_use_state state;
    uint32_t place_count; /* its locations in the profile */
    uint32_t found_count; /* those of them that the module has */
};

struct mpass_moved {
    uint32_t *places; /* by frame of the sites: location + 1, or 0 */
    /* Functions that the profile has or that allocate; ascending by GUID. */
    struct mpass_moved_function *functions;
    uint32_t function_count;
};

/* Finds the locations of all frames. The caller calls fini. */
void mpass_moved_find(struct mpass_moved *moved,
                      const struct mpass_stacks *stacks,
                      const struct mpass_sites *sites);
void mpass_moved_fini(struct mpass_moved *moved);
