/* ir.h -- what LLVM-C lacks to look at IR and to change it: one LLVM call each.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_IR_H
#define MPASS_IR_H

#include <llvm-c/ExternC.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

LLVM_C_EXTERN_C_BEGIN

LLVMValueRef mpass_ir_underlying_object(LLVMValueRef pointer);
LLVMValueRef mpass_ir_strip_inbounds_offsets(LLVMValueRef pointer);
bool mpass_ir_is_swifterror(LLVMValueRef value);
bool mpass_ir_is_byval(LLVMValueRef value);
bool mpass_ir_is_pic(LLVMModuleRef module);
/* True if the code can be part of an executable only. */
bool mpass_ir_is_for_executable(LLVMModuleRef module);
bool mpass_ir_supports_comdat(LLVMModuleRef module);
bool mpass_ir_is_emscripten(LLVMModuleRef module);
/* True unless it is known that programs of the target have no runtime. */
bool mpass_ir_has_runtime(LLVMModuleRef module);
/* The section for records of code that counts (shared/code_format.h), with
 * LLVM's options behind it; NULL where the target has none. */
const char *mpass_ir_code_section(LLVMModuleRef module);
/* Has the code generator leave a record of the function in that section. */
void mpass_ir_record_code(LLVMValueRef function, const char *section);
bool mpass_ir_is_code_recorded(LLVMValueRef function);
void mpass_ir_set_dso_local(LLVMValueRef global);
/* True if linking may put another definition in the place of this one. */
bool mpass_ir_is_interposable(LLVMValueRef global);
/* True if only this module knows the name. */
bool mpass_ir_is_local(LLVMValueRef global);
/* True if the body is what runs, not one of several that mean the same. */
bool mpass_ir_is_exact(LLVMValueRef function);
/* True if something in this module but direct calls has the function. */
bool mpass_ir_has_address_taken(LLVMValueRef function);
/* A copy of the function, with its linkage and a name of its own. */
LLVMValueRef mpass_ir_copy_function(LLVMValueRef function);
/* Number of lanes of a vector type, 0 if that is not known before run time. */
unsigned mpass_ir_fixed_lanes(LLVMTypeRef vector);
/* How the names of the target's PGO counter sections end; the caller frees. */
char *mpass_ir_counter_section(LLVMModuleRef module);
/* Splits the block before `inst`; the new block between runs if `condition`.
 * Returns the terminator of the new block. */
LLVMValueRef mpass_ir_split_if(LLVMValueRef condition, LLVMValueRef inst);
/* The same where the condition is hardly ever true. */
LLVMValueRef mpass_ir_split_rarely(LLVMValueRef condition, LLVMValueRef inst);
/* Makes the sanitizer-style constructor `ctor`, which calls `init` and, unless
 * NULL, `check`; keeps it in llvm.used. */
LLVMValueRef mpass_ir_create_ctor(LLVMModuleRef module, const char *ctor,
                                  const char *init, const char *check);
/* Makes the constructor `ctor`, which calls `init` with a 32-bit number, where
 * the program has it; keeps it in llvm.used. */
LLVMValueRef mpass_ir_create_weak_ctor(LLVMModuleRef module, const char *ctor,
                                       const char *init, unsigned number);
/* True where this LLVM's module pass defines the variable of this name. */
bool mpass_ir_llvm_defines(const char *name);
void mpass_ir_add_global_ctor(LLVMModuleRef module, LLVMValueRef function,
                              int priority);
void mpass_ir_remove_global_ctor(LLVMModuleRef module, LLVMValueRef function);
void mpass_ir_add_compiler_used(LLVMModuleRef module, LLVMValueRef global);
/* Removes the global from llvm.used and llvm.compiler.used. */
void mpass_ir_remove_used(LLVMModuleRef module, LLVMValueRef global);
/* True if anything but unused constants refers to the global. */
bool mpass_ir_has_uses(LLVMValueRef global);
/* Reports through the context's diagnostic handler. */
void mpass_ir_diagnose(LLVMContextRef context, LLVMDiagnosticSeverity severity,
                       const char *text);
/* The instructions of a function, block by block; NULL behind the last. */
LLVMValueRef mpass_ir_first(LLVMValueRef function);
LLVMValueRef mpass_ir_next(LLVMValueRef inst);
/* True for a call or an invoke, also of an intrinsic. */
bool mpass_ir_is_call(LLVMValueRef inst);
bool mpass_ir_has_attribute(LLVMValueRef function, const char *name);
/* What is known of a call, by its attributes and those of the function. */
enum mpass_call_trait {
    MPASS_CALL_NO_THROW = 1,
    MPASS_CALL_WILL_RETURN = 2,
    MPASS_CALL_NO_FREE = 4,
    MPASS_CALL_NO_SYNC = 8, /* waits for nobody */
    MPASS_CALL_ONLY_READS = 16,
    MPASS_CALL_RETURNS_TWICE = 32,
    MPASS_CALL_NO_RETURN = 64,
};
/* All traits of the call, or-ed. */
unsigned mpass_ir_call_traits(LLVMValueRef call);
bool mpass_ir_is_must_tail(LLVMValueRef call);
/* The call in tail position that the block ends with and that may become a
 * jump, or NULL. */
LLVMValueRef mpass_ir_tail_call(LLVMBasicBlockRef block);
/* The same for a block that returns itself. */
bool mpass_ir_is_jump(LLVMValueRef inst);
/* Where mpass_ir_tail_call() finds one: makes the block return itself. */
void mpass_ir_return_at_end(LLVMBasicBlockRef block);
void mpass_ir_forbid_tail_call(LLVMValueRef call);
/* The text of the call's inline assembly, or NULL. */
const char *mpass_ir_assembly(LLVMValueRef inst);
/* False if the call certainly accesses nothing that arguments point to. */
bool mpass_ir_may_access(LLVMValueRef call);
/* The operands and clobbers of the call's inline assembly, as LLVM writes them,
 * or NULL. */
const char *mpass_ir_constraints(LLVMValueRef inst);
bool mpass_ir_is_volatile(LLVMValueRef inst);
/* Also true for a fence. */
bool mpass_ir_is_atomic(LLVMValueRef inst);
/* True if the function calls setjmp() or the like. */
bool mpass_ir_returns_twice(LLVMValueRef function);
/* True if exceptions are handled in funclets. */
bool mpass_ir_has_funclets(LLVMValueRef function);
/* The first instruction of the block that something can be inserted before. */
LLVMValueRef mpass_ir_first_point(LLVMBasicBlockRef block);
/* True if the edge, all cases of a switch that lead there, is neither the only
 * one from its block nor the only one to the other. */
bool mpass_ir_is_critical_edge(LLVMValueRef terminator, LLVMBasicBlockRef to);
/* Makes a block on such an edge; its terminator, or NULL where LLVM cannot. */
LLVMValueRef mpass_ir_split_critical_edge(LLVMValueRef terminator,
                                          LLVMBasicBlockRef to);
/* Turns local variables that are only loaded and stored into values. */
void mpass_ir_promote(LLVMValueRef function, LLVMValueRef *allocas,
                      size_t count);
/* A simpler value that is the same, or NULL. */
LLVMValueRef mpass_ir_simplified(LLVMValueRef inst, LLVMTargetDataRef layout);

LLVM_C_EXTERN_C_END

#endif
