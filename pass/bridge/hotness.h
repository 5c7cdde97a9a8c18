/* hotness.h -- what LLVM has for hot and cold allocations: metadata and
 * attributes of calls, cloning by calling context, remarks. One LLVM call each.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_HOTNESS_H
#define MPASS_HOTNESS_H

#include <llvm-c/ExternC.h>
#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LLVM_C_EXTERN_C_BEGIN

/* True if this LLVM has what follows. */
bool mpass_hotness_is_supported(void);

/* -- Where a call stands in the source -------------------------------------- */

/* The call is in `function`, which is inlined into the next frame's. */
struct mpass_debug_frame {
    const void *function;
    uint32_t line_offset; /* from the function's first line */
    uint32_t column;
};

/* The frames of an instruction, innermost first: how many; at most `max` are
 * written. 0 without a debug location. */
size_t mpass_hotness_frames(LLVMValueRef inst, struct mpass_debug_frame *out,
                            size_t max);
/* Linkage name; not ended by NUL. */
const char *mpass_hotness_function_name(const void *function, size_t *size);
/* GUID of a linkage name as memory profiles have it. */
uint64_t mpass_hotness_guid(const char *name, size_t size);
/* "file:line:column" of an instruction, to out[size]; "" where not known. */
void mpass_hotness_place(LLVMValueRef inst, char *out, size_t size);

/* -- Metadata and attributes ------------------------------------------------ */

enum mpass_hotness {
    MPASS_HOTNESS_NOT_COLD,
    MPASS_HOTNESS_COLD,
    MPASS_HOTNESS_HOT
};

/* The call stacks of one allocation call. NULL without this part of LLVM. */
struct mpass_hotness_trie;
struct mpass_hotness_trie *mpass_hotness_trie_new(void);
void mpass_hotness_trie_free(struct mpass_hotness_trie *trie);
/* Frames from the call to the root. */
void mpass_hotness_trie_add(struct mpass_hotness_trie *trie,
                            enum mpass_hotness hotness, const uint64_t *frames,
                            size_t count);
/* Gives the call an attribute where all its stacks are alike; otherwise
 * metadata, and returns true. */
bool mpass_hotness_trie_attach(struct mpass_hotness_trie *trie,
                               LLVMValueRef call);

/* How many frames, at most, it takes from the call on to know that its block is
 * cold; 0 where the call has no metadata. */
uint32_t mpass_hotness_cold_depth(LLVMValueRef call);
/* Names the frames of a call for cloning. */
void mpass_hotness_set_frames(LLVMValueRef call, const uint64_t *frames,
                              size_t count);
/* Removes what cloning needs: from now on the call is as any other. Returns
 * true if the instruction had something of it. */
bool mpass_hotness_strip(LLVMValueRef inst);
/* What is known of the blocks of the call ("cold", "notcold", "hot",
 * "ambiguous"), or "". */
const char *mpass_hotness_attribute(LLVMValueRef call);
void mpass_hotness_set_attribute(LLVMValueRef call, const char *name,
                                 const char *value);
/* A note on a call that other passes leave alone; "" is none. */
const char *mpass_hotness_text(LLVMValueRef call, const char *name);
void mpass_hotness_remove_text(LLVMValueRef call, const char *name);

/* Clones functions by the metadata; `analyses` is LLVM's module analysis
 * manager. */
void mpass_hotness_clone(LLVMModuleRef module, void *analyses);
/* True if LLVM makes a copy more where callers of one call want different ones.
 */
bool mpass_hotness_copies_for_callers(void);
/* Instructions that become code. */
uint64_t mpass_hotness_instructions(LLVMValueRef function);
/* True if a copy of the function does what the function does. */
bool mpass_hotness_is_same_copied(LLVMValueRef function);
/* Replaces the body of a clone by another name of the original. */
void mpass_hotness_make_alias(LLVMValueRef clone, LLVMValueRef original);
/* Makes a clone, or an alias of one, the module's own. */
void mpass_hotness_make_own(LLVMValueRef global);
/* Adds a constructor that the linker keeps once for all modules, with the other
 * things of its comdat. */
void mpass_hotness_add_ctor(LLVMModuleRef module, LLVMValueRef function,
                            int priority);
/* True if the module is made for a link that optimizes. */
bool mpass_hotness_is_before_link(LLVMModuleRef module);

/* -- Calls ------------------------------------------------------------------ */

/* Replaces the call by one of `callee`, with one more argument at the end, and
 * attributes, metadata and exits of the old one. The old call is gone. */
LLVMValueRef mpass_hotness_call_with(LLVMValueRef call, LLVMValueRef callee,
                                     LLVMValueRef argument);
/* Gives `to` the attributes of the other function that say what it does and
 * what it allocates. */
void mpass_hotness_copy_attributes(LLVMValueRef to, LLVMValueRef from);
/* Tells LLVM what it knows of operator new by its name: the call allocates, for
 * the deallocation functions of this family. */
void mpass_hotness_set_family(LLVMValueRef call, const char *family,
                              bool is_aligned);
/* True if LLVM may not treat the call as one of a function it knows. */
bool mpass_hotness_is_no_builtin(LLVMValueRef call);
/* True if the function is declared to return memory of its own. */
bool mpass_hotness_returns_block(LLVMValueRef function);

/* -- Remarks: -Rpass=memprof, -Rpass-missed=memprof -------------------------- */

void mpass_hotness_remark(LLVMValueRef inst, bool passed, const char *name,
                          const char *text);

LLVM_C_EXTERN_C_END

#endif
