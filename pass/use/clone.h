/* clone.h -- clones functions of a module for cold call stacks, without a link
 * that optimizes, and bounds what that costs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_CLONE_H
#define MPASS_CLONE_H

#include "pass/use/match.h"

/* Small modules may grow by so many instructions, whatever their share. */
#define MPASS_CLONE_FREE_INSTRUCTIONS 500

/* Clones for the calls that have metadata for it, within `percent` of the
 * module's instructions, and settles their outcome. Afterwards no call has such
 * metadata. `analyses`: LLVM's module analysis manager. */
void mpass_clone_run(LLVMModuleRef module, void *analyses,
                     struct mpass_matches *matches,
                     const struct mpass_stacks *stacks, int percent);

/* The same for a link that clones: calls that do not agree with others of the
 * module lose their metadata. */
void mpass_clone_agree(struct mpass_matches *matches,
                       const struct mpass_stacks *stacks);

#endif
