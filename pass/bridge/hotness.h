/* hotness.h -- LLVM's support for hot and cold allocations, for C: metadata and
 * attributes of calls, cloning by calling context, remarks. Each function here
 * is one LLVM call without logic of its own. LLVM before 19 lacks this support:
 * functions that depend on it do nothing and return 0 or NULL.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LLVM_C_EXTERN_C_BEGIN

/* True if this LLVM supports hot and cold allocations. */
bool mpass_hotness_is_supported(void);

/* -- Source locations ------------------------------------------------------- */

/* A frame of an instruction's debug location. The function is inlined into the
 * function of the next frame. */
struct mpass_debug_frame {
    const void *function; /* LLVM's DISubprogram */
    uint32_t line_offset; /* from the function's first line, low 16 bits */
    uint32_t column;
};

/* Writes the frames of an instruction, innermost first, but at most `max`.
 * Returns their number, which may exceed `max`; 0 without a debug location. */
size_t mpass_hotness_frames(LLVMValueRef inst, struct mpass_debug_frame *out,
                            size_t max);
/* Linkage name of mpass_debug_frame.function; not terminated by NUL. */
const char *mpass_hotness_function_name(const void *function, size_t *size);
/* Name of a function in its source's language for a linkage name, malloc'd; the
 * same name if it is not mangled. `unused` is the context of a demangler. */
char *mpass_hotness_demangle(void *unused, const char *name);
/* GUID that memory profiles use for a linkage name. */
uint64_t mpass_hotness_guid(const char *name, size_t size);
/* Writes "file:line:column" of an instruction to out[size]; "" if unknown. */
void mpass_hotness_place(LLVMValueRef inst, char *out, size_t size);

/* -- Metadata and attributes ------------------------------------------------ */

enum mpass_hotness {
    MPASS_HOTNESS_NOT_COLD,
    MPASS_HOTNESS_COLD,
    MPASS_HOTNESS_HOT
};

/* The call stacks of one allocation call. */
struct mpass_hotness_trie;
struct mpass_hotness_trie *mpass_hotness_trie_new(void);
void mpass_hotness_trie_free(struct mpass_hotness_trie *trie);
/* Adds a call stack; frames are in order from the call to the root. */
void mpass_hotness_trie_add(struct mpass_hotness_trie *trie,
                            enum mpass_hotness hotness, const uint64_t *frames,
                            size_t count);
/* If all stacks have the same hotness, sets an attribute of the call and
 * returns false; otherwise attaches metadata for cloning and returns true. */
bool mpass_hotness_trie_attach(struct mpass_hotness_trie *trie,
                               LLVMValueRef call);

/* Number of frames in the longest cold call stack of the call's metadata; 0
 * without metadata. */
uint32_t mpass_hotness_cold_depth(LLVMValueRef call);
/* Attaches the frames of a call as metadata for cloning. */
void mpass_hotness_set_frames(LLVMValueRef call, const uint64_t *frames,
                              size_t count);
/* Removes the metadata for cloning. True if the instruction had any. */
bool mpass_hotness_strip(LLVMValueRef inst);
/* Hotness attribute of the call: "cold", "notcold", "hot", "ambiguous", or ""
 * if it has none. */
const char *mpass_hotness_attribute(LLVMValueRef call);
void mpass_hotness_set_attribute(LLVMValueRef call, const char *name,
                                 const char *value);
/* A string attribute of ours, which other passes ignore; "" if there is none.
 */
const char *mpass_hotness_text(LLVMValueRef call, const char *name);
void mpass_hotness_remove_text(LLVMValueRef call, const char *name);

/* Runs LLVM's pass that clones functions by the metadata. `analyses` is LLVM's
 * module analysis manager. */
void mpass_hotness_clone(LLVMModuleRef module, void *analyses);
/* True if LLVM makes an additional clone when callers of one call need
 * different clones. */
bool mpass_hotness_copies_for_callers(void);
/* Number of instructions, without debug instructions. */
uint64_t mpass_hotness_instructions(LLVMValueRef function);
/* True if a copy of the function behaves like the function. False, for example,
 * if the address of a block is taken. */
bool mpass_hotness_is_same_copied(LLVMValueRef function);
/* Replaces a clone by an alias of the original. */
void mpass_hotness_make_alias(LLVMValueRef clone, LLVMValueRef original);
/* Gives a clone, or an alias of a clone, internal linkage. */
void mpass_hotness_make_own(LLVMValueRef global);
/* Adds a constructor. If it is in a comdat, the linker keeps one of all
 * modules.
 */
void mpass_hotness_add_ctor(LLVMModuleRef module, LLVMValueRef function,
                            int priority);
/* True if the module is compiled for a link with LTO. */
bool mpass_hotness_is_before_link(LLVMModuleRef module);

/* -- Calls ------------------------------------------------------------------ */

/* Replaces the call by a call of `callee` with an additional last argument.
 * Keeps attributes, metadata and, for an invoke, both destinations. Deletes the
 * old call and returns the new one. */
LLVMValueRef mpass_hotness_call_with(LLVMValueRef call, LLVMValueRef callee,
                                     LLVMValueRef argument);
/* Copies all attributes of the function `from` to `to`, which has one more
 * parameter. */
void mpass_hotness_copy_attributes(LLVMValueRef to, LLVMValueRef from);
/* Sets the attributes that LLVM derives for operator new from its name: the
 * call allocates, and functions of the same family free the block. */
void mpass_hotness_set_family(LLVMValueRef call, const char *family,
                              bool is_aligned);
/* LLVM no longer optimizes the call as one of a new expression. */
void mpass_hotness_forget_new(LLVMValueRef call);
/* True if the call is marked "nobuiltin". */
bool mpass_hotness_is_no_builtin(LLVMValueRef call);
/* True if the function is declared as an allocation function: it returns a
 * noalias pointer, or has the attribute allocsize. */
bool mpass_hotness_returns_block(LLVMValueRef function);

/* -- Remarks: -Rpass=memprof, -Rpass-missed=memprof -------------------------- */

/* Emits a remark, or a missed-optimization remark if !passed. */
void mpass_hotness_remark(LLVMValueRef inst, bool passed, const char *name,
                          const char *text);

LLVM_C_EXTERN_C_END
