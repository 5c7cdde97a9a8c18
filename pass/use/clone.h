/* clone.h -- clones functions of a module for cold call stacks, without LTO,
 * and bounds the growth of the code.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/use/match.h"

/* A module may always grow by this many instructions. */
#define MPASS_CLONE_FREE_INSTRUCTIONS 500

/* Clones functions for the calls with metadata for cloning. The clones may have
 * `percent` of the module's instructions. Sets the outcomes of the matches, and
 * removes the metadata. `analyses` is LLVM's module analysis manager. */
void mpass_clone_run(LLVMModuleRef module, void *analyses,
                     struct mpass_matches *matches,
                     const struct mpass_stacks *stacks, int percent);

/* For a module that LTO will clone: removes the metadata of calls that conflict
 * with other calls of the module. */
void mpass_clone_agree(struct mpass_matches *matches,
                       const struct mpass_stacks *stacks);
