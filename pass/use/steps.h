/* steps.h -- the steps by which use.c and hints.c use a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/use/match.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

/* admit.c -- chooses the calls to clone for. */

/* Admits calls within the budget of instructions, and removes the metadata of
 * all others. False if no call is admitted. */
bool mpass_admit_run(LLVMModuleRef module, struct mpass_matches *matches,
                     const struct mpass_stacks *stacks, uint64_t budget);
/* For a module that LTO will clone: removes the metadata of calls that conflict
 * with other calls of the module. */
void mpass_admit_agree(struct mpass_matches *matches,
                       const struct mpass_stacks *stacks);

/* clone.c -- clones functions of a module for cold call stacks, without LTO,
 * and bounds the growth of the code. */

/* A module may always grow by this many instructions. */
#define MPASS_CLONE_FREE_INSTRUCTIONS 500

/* The instructions that all clones of a module may have, if they may be
 * `percent` of the module's. */
uint64_t mpass_clone_budget(LLVMModuleRef module, int percent);
/* Clones functions for the calls with metadata for cloning, and subtracts the
 * instructions of the clones from *budget. Sets the outcomes of the matches,
 * and removes the metadata. `analyses` is LLVM's module analysis manager. */
void mpass_clone_run(LLVMModuleRef module, void *analyses,
                     struct mpass_matches *matches,
                     const struct mpass_stacks *stacks, uint64_t *budget);
/* Renames the clones behind the function `last`, so that LLVM can make more
 * clones of the same functions. */
void mpass_clone_rename(LLVMValueRef last);

/* log.c -- writes the log of how a profile was used (shared/use_log.inc). */

/* Appends the lines of a module to the file with one write. Returns 0 or an
 * errno. */
int mpass_log_append(const char *path, const char *module, const char *profile,
                     const struct mpass_moved *moved,
                     const struct mpass_matches *matches);

/* hints.c -- replaces calls of allocation functions whose blocks are known to
 * be cold or hot by calls of the hinted form. */

/* Call it after the optimizations that remove or merge allocations. `all`: also
 * hint calls that are neither cold nor hot. Returns true if it changed the
 * module. */
bool mpass_hints_run(LLVMModuleRef module, const char *allocation_names,
                     bool all);

/* dense.c -- which blocks may be dense: aligned by 8 bytes instead of 16. */

/* String attribute of a call whose blocks gain by being dense and whose type
 * allows it: the bytes of the type. */
#define MPASS_DENSE "memprof-dense"

/* True if the call has the attribute, its block is one object of the type, and
 * the function's code does not need a larger alignment of the block; accesses
 * are changed to say so. */
bool mpass_dense_allow(LLVMValueRef call);

/* stubs.c -- creates functions that call the hinted form of an allocation
 * function if the program has one, and the plain function otherwise. */

/* Stubs find the hinted form in constructors of this priority, before all of
 * the program. */
#define MPASS_STUBS_PRIORITY 1

/* The function to call instead of `plain`; it has the same parameters and then
 * the hint. NULL if there can be none, because `plain` has variable or too many
 * arguments. */
LLVMValueRef mpass_stubs_get(LLVMModuleRef module, LLVMValueRef plain);

/* Likewise, of the hinted form of a function `name` instead of plain's name. */
LLVMValueRef mpass_stubs_get_as(LLVMModuleRef module, LLVMValueRef plain,
                                const char *name);

/* huge.c -- makes a program ask its allocator for huge pages. */

/* Adds a constructor to a module that defines main(), which calls
 * __memprof_huge_pages_hint() (inc/memprof_hints.h) if the program has it.
 * busy_bytes: the reason, for the remark. */
void mpass_huge_ask(LLVMModuleRef module, uint64_t busy_bytes);
